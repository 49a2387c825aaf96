"""Files of repositories in memory; fits the port `FileStore`."""

from dataclasses import replace

from reactor.repository_files import KeptFile


class MemoryFiles:
    """What one process knows."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], KeptFile] = {}
        self._told: set[tuple[str, str, str]] = set()

    async def read(self, host: str, name: str) -> KeptFile:
        """From memory."""
        return self._kept.get((host, name.lower()), KeptFile())

    async def keep(self, host: str, name: str, kept: KeptFile) -> None:
        """To memory."""
        before = await self.read(host, name)
        kept = replace(kept, told=before.told, commit=before.commit)
        self._kept[host, name.lower()] = kept

    async def changed(self, host: str, name: str, *, commit: str = "") -> None:
        """Counted."""
        before = await self.read(host, name)
        self._kept[host, name.lower()] = replace(before, told=before.told + 1, commit=commit)

    async def tell_once(self, host: str, name: str, sha: str) -> bool:
        """Noted."""
        key = host, name.lower(), sha
        is_first = key not in self._told
        self._told.add(key)
        return is_first
