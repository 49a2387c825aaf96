"""What is kept in the data folder, to be looked into: the index of the journal, the archive."""

import asyncio
from pathlib import Path

from reactor.adapters.archive_folder import FOLDER, delivery_at
from reactor.adapters.sqlite_records import FILE, SqliteRecords
from reactor.delivery import Delivery
from reactor.errors import ReactorError
from reactor.settings import Settings


class NoDataFolder(ReactorError):
    """A command needs the data folder, and nobody said which it is."""

    def __str__(self) -> str:
        return "no data folder is set: give --data, or set REACTOR_DATA (setting data)"


def data_folder(settings: Settings) -> Path:
    """Where things are kept beside the servers.  Raises `NoDataFolder`."""
    if settings.data is None:
        raise NoDataFolder
    return settings.data


def records_of(settings: Settings) -> SqliteRecords:
    """The index, to look into; it need not be there.  Raises `NoDataFolder`."""
    return SqliteRecords(data_folder(settings) / FILE)


class FolderArchive:
    """Fits `reactor.records.DeliveryArchive`: what the index knows a place of, read there."""

    def __init__(self, settings: Settings) -> None:
        """Raises `NoDataFolder`."""
        self._records = records_of(settings)
        self._folder = data_folder(settings) / FOLDER

    async def read(self, key: str) -> Delivery | None:
        """Raises `NoIndex`."""
        place = await self._records.bytes_at(key)
        if not place:
            return None
        found = await asyncio.to_thread(delivery_at, self._folder, place)
        return found if found and found.key == key else None
