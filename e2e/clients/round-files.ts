/** The files that every client uploads, and comparisons with what is stored or came back. */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { bucket, type Round } from './client.ts'
import { sha256OfFile, sha256OfStream } from './client-files.ts'

const MiB = 1024 * 1024
const folderFiles = 200
export const folder = 'files'
/** A range of large.bin; both ends are included. */
const range = { first: 100, last: 299 }

/** small.bin, large.bin, parts.bin, and a folder with files of 127 bytes and more, or of 0 bytes and more. */
export function writeRoundFiles(dir: string, { isAnySize, partsMiB }: { readonly isAnySize: boolean; readonly partsMiB: number }): void {
  const sizes = { 'small.bin': 4096, 'large.bin': 32 * MiB, 'parts.bin': partsMiB * MiB + 1 }
  for (const [name, size] of Object.entries(sizes)) writeFileSync(join(dir, name), randomBytes(size))
  mkdirSync(join(dir, folder, 'deeper'), { recursive: true })
  const smallest = isAnySize ? 0 : 127
  for (let at = 0; at < folderFiles; at += 1) {
    writeFileSync(join(dir, folder, at % 2 === 0 ? `file ${at}.bin` : `deeper/${at}.bin`), randomBytes(smallest + at))
  }
}

/** Digest by path relative to the directory. */
export function digestsIn(dir: string): ReadonlyMap<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return new Map(paths.map((path) => [path.slice(dir.length + 1), digestOf(readFileSync(path))]))
}

export const digestOf = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

export async function listKeys({ s3 }: Round, Prefix = ''): Promise<ReadonlyMap<string, string>> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }))
  return new Map(Contents.map(({ Key = '', ETag = '' }) => [Key.slice(Prefix.length), ETag.replaceAll('"', '')]))
}

/** Returns the entity tag. */
export async function requireObject(round: Round, Key: string, file = Key): Promise<string> {
  const { Body, ETag = '' } = await round.s3.send(new GetObjectCommand({ Bucket: bucket, Key }))
  requireEqual(`SHA-256 of ${Key}`, await sha256OfStream(Body as Readable), await sha256OfFile(join(round.dir, file)))
  return ETag.replaceAll('"', '')
}

export function requireEqual(what: string, actual: unknown, expected: unknown): void {
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(value instanceof Map ? [...value].sort() : value))
  if (found !== wanted) throw new Error(`${what} is ${found?.slice(0, 500)}, not ${wanted?.slice(0, 500)}`)
}

export async function readRange(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, { start: range.first, end: range.last })) chunks.push(chunk)
  return Buffer.concat(chunks)
}
