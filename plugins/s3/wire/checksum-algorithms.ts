import { type ChecksumAlgorithm, checksumLengths, type RunningChecksum } from '#plugins/storage'

export function isChecksumAlgorithm(name: string): name is ChecksumAlgorithm {
  return Object.hasOwn(checksumLengths, name)
}

export const crcAlgorithms = ['crc32', 'crc32c', 'crc64nvme'] as const satisfies readonly ChecksumAlgorithm[]

/** Checksums of a whole that can be calculated from those of its parts. */
export type CrcAlgorithm = (typeof crcAlgorithms)[number]

/** The bytes; each piece is added to the checksum before it is passed on. */
export async function* updating<T extends Uint8Array>(bytes: AsyncIterable<T>, checksum: RunningChecksum): AsyncGenerator<T, void> {
  for await (const piece of bytes) {
    checksum.update(piece)
    yield piece
  }
}
