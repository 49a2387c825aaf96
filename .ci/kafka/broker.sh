#!/usr/bin/env bash
# Start one Apache Kafka broker (KRaft) on free loopback ports: broker.sh FOLDER
#
# Needs java 17 and mvn.  Writes FOLDER/pid and FOLDER/address once the broker serves; data, logs
# and jars lie in FOLDER too.  End it with: kill "$(cat FOLDER/pid)"
set -euo pipefail

folder=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mvn -q -B -Dstyle.color=never -f "$here/pom.xml" dependency:copy-dependencies \
    -DoutputDirectory="$folder/libs" -DincludeScope=runtime

free_ports() {
    python3 - <<'PYTHON'
import socket

held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(server.getsockname()[1] for server in held))
PYTHON
}
read -r port controller_port < <(free_ports)

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

java=(java -Xms256m -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=warn
    -cp "$folder/libs/*")
"${java[@]}" kafka.tools.StorageTool format --cluster-id reactor-tests-01234567 \
    --config "$folder/server.properties" >"$folder/format.log" 2>&1 || { cat "$folder/format.log" >&2; exit 1; }
"${java[@]}" kafka.Kafka "$folder/server.properties" >"$folder/broker.log" 2>&1 </dev/null &
echo $! >"$folder/pid"

for _ in $(seq 120); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
        echo "127.0.0.1:$port" >"$folder/address"
        exit 0
    fi
    kill -0 "$(cat "$folder/pid")" 2>/dev/null || break
    sleep 0.5
done
tail -30 "$folder/broker.log" >&2
exit 1
