/**
 * Reads `svc segment 1` (docs/reference/segment-format.md) without any code of svc:
 *
 *   node read-segment.js list FILE             content, length, bucket, key and version of each record
 *   node read-segment.js get FILE KEY TARGET   writes the bytes of the newest version of a key that is in the segment
 */
import { createHash } from 'node:crypto'
import { openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { argv, exit, stderr, stdout } from 'node:process'
import { gunzipSync } from 'node:zlib'

const fixedBytes = 128

/** @param {Buffer} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest()

/** @param {number} file @param {number} at @param {number} length */
function readAt(file, at, length) {
  const bytes = Buffer.alloc(length)
  if (readSync(file, bytes, 0, length, at) !== length) throw new Error('the file is shorter than its footer says')
  return bytes
}

/** @param {Buffer} bytes @param {string} magic */
function check(bytes, magic) {
  if (bytes.toString('latin1', 0, 8) !== magic) throw new Error('this is no segment, or it is not whole')
  if (!sha256(bytes.subarray(0, 96)).equals(bytes.subarray(96))) throw new Error('the segment is damaged')
  if (bytes.readUInt16BE(8) !== 1) throw new Error('unknown version of the format')
  if (bytes.readUInt16BE(10) !== 0) throw new Error('the segment is encrypted')
  return bytes
}

/** @param {string} path */
function open(path) {
  const size = statSync(path).size
  if (size < 2 * fixedBytes) throw new Error('this is no segment, or it is not whole')
  const file = openSync(path, 'r')
  const footer = check(readAt(file, size - fixedBytes, fixedBytes), 'svcend1\n')
  const header = check(readAt(file, 0, fixedBytes), 'svcseg1\n')
  if (!header.subarray(16, 32).equals(footer.subarray(16, 32))) throw new Error('header and footer are of different segments')
  const [indexAt, indexBytes] = [Number(footer.readBigUInt64BE(32)), Number(footer.readBigUInt64BE(40))]
  if (indexAt + indexBytes + fixedBytes !== size) throw new Error('the file has another length than the segment')
  const stored = readAt(file, indexAt, indexBytes)
  if (!sha256(stored).equals(footer.subarray(64, 96))) throw new Error('the index is damaged')
  const lines = gunzipSync(stored, { maxOutputLength: Number(footer.readBigUInt64BE(48)) + 1 })
    .toString()
    .split('\n')
    .slice(0, -1)
  if (lines.length !== footer.readUInt32BE(12)) throw new Error('the index has another number of records than the footer')
  return { file, entries: lines.map((line) => JSON.parse(line)) }
}

/** @param {string} path */
function list(path) {
  for (const { content, length, versions } of open(path).entries) {
    for (const { bucket, key, version } of versions) stdout.write(`${[content, length, bucket, key, version].join('\t')}\n`)
  }
}

/** @param {string} path @param {string} key @param {string} target */
function get(path, key, target) {
  const { file, entries } = open(path)
  const found = entries
    .flatMap((entry) => entry.versions.map((version) => ({ ...entry, ...version })))
    .filter((version) => version.key === key)
    .sort((a, b) => b.created - a.created)[0]
  if (!found) throw new Error(`the segment has no version of '${key}'`)
  const bytes = readAt(file, found.offset, found.length)
  if (sha256(bytes).toString('hex') !== found.sha256) throw new Error('the bytes of the record are damaged')
  writeFileSync(target, bytes)
}

const [, , command, path, key, target] = argv
try {
  if (command === 'list' && path) list(path)
  else if (command === 'get' && path && key && target) get(path, key, target)
  else throw new Error('usage: read-segment.js list FILE | get FILE KEY TARGET')
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : error}\n`)
  exit(1)
}
