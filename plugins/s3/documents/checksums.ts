/** The checksum elements of several documents. */
import { type ChecksumAlgorithm, checksumLengths } from '#plugins/storage'
import { checksumTypeOf } from '../wire/stored-checksums.ts'
import { element } from '../wire/xml.ts'
import { childText, type XmlElement } from '../wire/xml-reader.ts'

/** Base64 by algorithm. */
type Checksums = Readonly<Record<string, string>>

const algorithms = Object.keys(checksumLengths) as ChecksumAlgorithm[]
const nameOf = (algorithm: string): string => `Checksum${algorithm.toUpperCase()}`

/** Writes the ChecksumType of a whole object too. */
export function writeObjectChecksums(checksums: Checksums): string {
  const [value] = Object.values(checksums)
  return value === undefined ? '' : `${writeChecksums(checksums)}${element('ChecksumType', checksumTypeOf(value))}`
}

/** Writes no type, as for parts. */
export function writeChecksums(checksums: Checksums): string {
  return Object.entries(checksums)
    .map(([algorithm, value]) => element(nameOf(algorithm), value))
    .join('')
}

export function readChecksums(parent: XmlElement): Checksums {
  return Object.fromEntries(
    algorithms.flatMap((algorithm) => {
      const value = childText(parent, nameOf(algorithm))
      return value === undefined ? [] : [[algorithm, value]]
    }),
  )
}

/** Elements of a listed object by `ListedKey.checksum`: a list writes a thousand of them. */
const listed: ReadonlyMap<string | null, string> = new Map(
  algorithms.flatMap((algorithm) =>
    ['', '-'].map((mark) => [
      algorithm + mark,
      element('ChecksumAlgorithm', algorithm.toUpperCase()) + element('ChecksumType', checksumTypeOf(mark)),
    ]),
  ),
)

/** Empty for an object without a checksum. */
export const writeListedChecksum = (checksum: string | null): string => listed.get(checksum) ?? ''

export function readListedChecksum(entry: XmlElement): string | null {
  const algorithm = childText(entry, 'ChecksumAlgorithm')
  if (algorithm === undefined) return null
  return algorithm.toLowerCase() + (childText(entry, 'ChecksumType') === 'COMPOSITE' ? '-' : '')
}
