#!/usr/bin/env bash
# Apache Kafka without Docker: one broker (KRaft) on loopback, of a folder that outlives it.
#
#   tools/kafka/broker.sh start FOLDER   start, or start again: the same ports, the same data
#   tools/kafka/broker.sh stop FOLDER    SIGTERM, and wait; SIGKILL after 30 s
#   tools/kafka/broker.sh kill FOLDER    SIGKILL, and wait: what a power cut would do
#
# Needs Java 17 or newer, python3 and, the first time, Maven: it resolves the versions pinned in
# pom.xml into a cache (REACTOR_KAFKA_CACHE, or webhook-reactor/ in the user's cache folder).
#
# `start` returns when the broker serves, and has written
#   FOLDER/address   host:port for clients
#   FOLDER/pid       process id, gone again after stop and kill
#   FOLDER/libs      the folder of jars that it runs with, a link
#   FOLDER/*.log     what Maven, the formatting and the broker said
# Files that may be put there before the first start:
#   FOLDER/ports             "PORT CONTROLLER_PORT", else two free ones are chosen and kept
#   FOLDER/extra.properties  settings of the broker, which win over those below
#   FOLDER/format.args       further words for Kafka's StorageTool, one a line (--add-scram ...)
set -euo pipefail

readonly JAVA_AT_LEAST=17 START_S=180 STOP_S=30
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { printf 'kafka: %s\n' "$*" >&2; }
give_up() { say "$@" && exit 1; }

usage() {
    sed -nE '2,/^set /{/^# ?/s/^# ?//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

find_java() {
    java=${JAVA_HOME:+$JAVA_HOME/bin/java}
    command -v "${java:=java}" >/dev/null ||
        give_up "there is no ${java:-java}; install Java $JAVA_AT_LEAST or newer (Debian: openjdk-17-jre-headless), or set JAVA_HOME"
    local major
    major=$("$java" -version 2>&1 | sed -nE 's/.* version "(1\.)?([0-9]+).*/\2/p' | head -1)
    [ "${major:-0}" -ge "$JAVA_AT_LEAST" ] ||
        give_up "$java is Java ${major:-unknown}; Apache Kafka needs $JAVA_AT_LEAST or newer: install it, or set JAVA_HOME"
}

resolve() { # the jars, once for each pom.xml
    local cache digest
    cache=${REACTOR_KAFKA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/webhook-reactor}
    digest=$(cksum <"$here/pom.xml" | tr ' ' -)
    jars=$cache/kafka-$digest
    [ -d "$jars" ] && return
    command -v mvn >/dev/null || give_up "there is no mvn to fetch Apache Kafka with; install Maven (Debian: maven)"
    say "Maven resolves Apache Kafka into $jars, once"
    mkdir -p "$cache"
    local unfinished
    unfinished=$(mktemp -d "$cache/unfinished.XXXXXX")
    if ! mvn -q -B -Dstyle.color=never -f "$here/pom.xml" dependency:copy-dependencies \
        -DoutputDirectory="$unfinished" -DincludeScope=runtime >"$folder/maven.log" 2>&1; then
        rm -rf "$unfinished"
        tail -5 "$folder/maven.log" >&2
        give_up "Maven could not fetch Apache Kafka (all it said: $folder/maven.log); if it can't" \
            "reach its repository from here, name a mirror or a proxy in ~/.m2/settings.xml"
    fi
    if [ -d "$jars" ]; then rm -rf "$unfinished"; else mv "$unfinished" "$jars"; fi
}

command_of() { # PID: nothing for one that is gone, or a zombie
    if [ -d /proc/self ]; then tr '\0' ' ' <"/proc/$1/cmdline"; else ps -p "$1" -o command=; fi 2>/dev/null
}

is_running() { # the process of that id may be another one by now
    local pid
    pid=$(cat "$folder/pid" 2>/dev/null) && [ -n "$pid" ] &&
        command_of "$pid" | grep -qF "$folder/server.properties"
}

choose_ports() {
    [ -s "$folder/ports" ] || python3 - >"$folder/ports" <<'PYTHON'
import socket

held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(server.getsockname()[1] for server in held))
PYTHON
    read -r port controller_port <"$folder/ports"
}

configure() {
    cat >"$folder/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller_port
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller_port
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$folder/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
PROPERTIES
    [ ! -e "$folder/extra.properties" ] || cat "$folder/extra.properties" >>"$folder/server.properties"
}

format() { # the data folder, once
    [ ! -e "$folder/data/meta.properties" ] || return 0
    local more=() word
    if [ -e "$folder/format.args" ]; then
        while IFS= read -r word; do more+=("$word"); done <"$folder/format.args"
    fi
    "${run[@]}" kafka.tools.StorageTool format --cluster-id reactor-tests-01234567 \
        --config "$folder/server.properties" ${more[@]+"${more[@]}"} >"$folder/format.log" 2>&1 ||
        { cat "$folder/format.log" >&2 && give_up "its data folder could not be made"; }
}

start() {
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
    if is_running; then
        say "it runs already, at $(cat "$folder/address")"
        return
    fi
    find_java
    resolve
    ln -sfn "$jars" "$folder/libs"
    choose_ports
    configure
    run=("$java" -Xms256m -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=warn
        -cp "$folder/libs/*")
    format
    nohup "${run[@]}" kafka.Kafka "$folder/server.properties" >>"$folder/broker.log" 2>&1 </dev/null &
    echo $! >"$folder/pid"
    local deadline=$((SECONDS + START_S))
    until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        if ! kill -0 $! 2>/dev/null || [ $SECONDS -ge $deadline ]; then
            tail -30 "$folder/broker.log" >&2
            end KILL
            give_up "the broker did not come up on port $port (all it said: $folder/broker.log)"
        fi
        sleep 0.2
    done
    echo "127.0.0.1:$port" >"$folder/address"
}

end() { # SIGNAL
    if is_running; then
        local pid deadline=$((SECONDS + STOP_S))
        pid=$(cat "$folder/pid")
        kill "-$1" "$pid" 2>/dev/null || true
        while is_running; do
            [ $SECONDS -lt $deadline ] || kill -KILL "$pid" 2>/dev/null || true
            sleep 0.1
        done
    fi
    rm -f "$folder/pid"
}

[ $# -eq 2 ] || usage
case $1 in
start) start "$2" ;;
stop | kill)
    folder=$(cd "$2" 2>/dev/null && pwd) || give_up "there is no folder $2"
    if [ "$1" = stop ]; then end TERM; else end KILL; fi
    ;;
*) usage ;;
esac
