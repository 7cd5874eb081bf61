import fc from 'fast-check'
import { varint } from 'multiformats'
import { base32, base32upper } from 'multiformats/bases/base32'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { create as createMultihash } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { PieceCidError, parsePieceCid, pieceCidOf } from './piece-cid.ts'

const zeros127 = 'bafkzcibcaabdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy'
const zeros1MiB = 'bafkzcibeqcad6egqwuynxmfu6jof2lzkfdp65aelknasuautd4mmjgpvujkaq2ytey'
const root = Uint8Array.from({ length: 32 }, (_, index) => index)

test('a piece CID is parsed into raw size, tree and binary form', () => {
  expect(parsePieceCid(zeros127)).toMatchObject({ rawSize: 127, height: 2, padding: 0 })
  const parsed = parsePieceCid(zeros1MiB)
  expect(parsed).toMatchObject({ rawSize: 1_048_576, height: 16, padding: 1_032_192 })
  expect(Buffer.from(parsed.bytes.subarray(0, 4)).toString('hex')).toBe('01559120')
  expect(CID.decode(parsed.bytes).toString()).toBe(zeros1MiB)
})

test('a written piece CID is parsed back, up to the largest trees', () => {
  const shape = fc.integer({ min: 2, max: 48 }).chain((height) =>
    fc.record({
      height: fc.constant(height),
      padding: fc.integer({ min: 0, max: 127 * 2 ** (height - 2) - 1 }),
      root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    }),
  )
  fc.assert(
    fc.property(shape, (digest) => {
      const parsed = parsePieceCid(pieceCidOf(digest))
      expect(parsed).toMatchObject({ height: digest.height, padding: digest.padding })
      expect(parsed.rawSize).toBe(127 * 2 ** (digest.height - 2) - digest.padding)
      expect(Buffer.compare(parsed.root, digest.root)).toBe(0)
    }),
  )
})

const refused: Record<string, string> = {
  'empty text': '',
  'text that is not a CID': 'hello',
  'a very long text': `b${'a'.repeat(1_000_000)}`,
  'a version 1 piece CID': CID.createV1(0xf101, createMultihash(0x1012, root)).toString(),
  'a version 0 CID': 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n',
  'a plain SHA-256 CID': CID.createV1(0x55, createMultihash(0x12, root)).toString(),
  'the right hash under another codec': CID.createV1(0x70, CID.parse(zeros127).multihash).toString(),
  'a truncated CID': zeros127.slice(0, -4),
  'one character less': zeros127.slice(0, -1),
  'a trailing character': `${zeros127}a`,
  'trailing bytes': base32.encode(Uint8Array.from([...CID.parse(zeros127).bytes, 0])),
  'trailing bytes inside the multihash': pieceText([0, 2, ...root, 0]),
  'a root that is too short': pieceText([0, 2, ...root.subarray(1)]),
  'a multihash with padding only': pieceText([0]),
  'a padding without end': pieceText([0x80]),
  'a padding in more bytes than needed': pieceText([0x80, 0x00, 2, ...root]),
  'a tree below the smallest': pieceText([0, 1, ...root]),
  'a tree above the largest': pieceText([0, 49, ...root]),
  'more padding than the tree holds': pieceText([...varintBytes(128), 2, ...root]),
  'a piece of padding only': pieceText([127, 2, ...root]),
  'upper case': CID.parse(zeros127).toString(base32upper),
  'another base': CID.parse(zeros127).toString(base58btc),
  'surrounding space': ` ${zeros127}`,
}

test.each(Object.entries(refused))('%s is refused with a typed error', (_, text) => {
  expect(() => parsePieceCid(text)).toThrow(PieceCidError)
  expect(() => parsePieceCid(text)).toThrow(expect.objectContaining({ code: 'piece_cid_invalid' }))
})

test('the error message has the text, truncated when very long', () => {
  expect(() => parsePieceCid('hello')).toThrow("'hello' is not a piece CID")
  expect(() => parsePieceCid(`b${'a'.repeat(1_000_000)}`)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^.{0,300}$/) }),
  )
})

function pieceText(body: number[]): string {
  return CID.createV1(0x55, createMultihash(0x1011, Uint8Array.from(body))).toString()
}

function varintBytes(value: number): Uint8Array {
  return varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)))
}
