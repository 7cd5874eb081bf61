/** The WebAssembly of CRC-64/NVME: 128 bytes at a time, in 16 lanes, with a table look-up for each half of a byte. */

import { laneTableAt } from './crc64nvme-tables.ts'
import { Instance, Module, wasmPageBytes } from './web-assembly.ts'

/** Bytes that `fold` takes at once; also the size of its state. */
export const blockBytes = 128
const vectors = 8
const pages = 2

/** Positions in its memory. The lane tables are at 0. */
export const byteTableAt = 2048
export const stateAt = 4096
export const inputAt = stateAt + blockBytes
export const inputBytesMax = pages * wasmPageBytes - inputAt

export interface Crc64Module {
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Adds whole blocks, at least one, to the state. */
  fold(from: number, blocks: number): void
  /** The register after the bytes. */
  add(register: bigint, from: number, to: number): bigint
}

type Code = readonly number[]

/** The variable-length form of integers; the highest bit of the last byte's seven is the sign of signed ones. */
function encode(value: number, isSigned = false): Code {
  const low = value & 0x7f
  const rest = isSigned ? value >> 7 : value >>> 7
  return rest === 0 && !(isSigned && low & 0x40) ? [low] : [low | 0x80, ...encode(rest, isSigned)]
}

const list = (items: readonly Code[]): Code => [...encode(items.length), ...items.flat()]
const sized = (code: Code): Code => [...encode(code.length), ...code]
const section = (id: number, items: readonly Code[]): Code => [id, ...sized(list(items))]
const exported = (name: string, kind: number, index: number): Code => [...sized([...Buffer.from(name)]), kind, index]

const i32 = 0x7f
const i64 = 0x7e
const v128 = 0x7b
const end: Code = [0x0b]
const block: Code = [0x02, 0x40]
const loop: Code = [0x03, 0x40]
const branch: Code = [0x0c, 0]
const branchIf = (depth: number): Code => [0x0d, depth]
const get = (local: number): Code => [0x20, local]
const set = (local: number): Code => [0x21, local]
const tee = (local: number): Code => [0x22, local]
const int = (value: number): Code => [0x41, ...encode(value, true)]
const load8 = (offset: number): Code => [0x2d, 0, ...encode(offset)]
const load64 = (offset: number): Code => [0x29, 3, ...encode(offset)]
const equal: Code = [0x46]
const plus: Code = [0x6a]
const minus: Code = [0x6b]
const and32: Code = [0x71]
const xor32: Code = [0x73]
const shiftLeft32: Code = [0x74]
const wrap64: Code = [0xa7]
const xor64: Code = [0x85]
const shiftRight64 = (bits: number): Code => [0x42, bits, 0x88]
const vector = (operation: number): Code => [0xfd, ...encode(operation)]
const loadVector = (offset: number): Code => [...vector(0), 4, ...encode(offset)]
const storeVector = (offset: number): Code => [...vector(11), 4, ...encode(offset)]
const splat8 = vector(15)
const andVector = vector(78)
const xorVector = vector(81)
const shiftRight8 = vector(109)
/** The relaxed one is a single instruction; indexes are below 16, where it is the same. */
const lookUp = vector(256)

function foldCode(): Code {
  const [from, left, bytes, low, high, mask, next] = [0, 1, 2, 3, 4, 5, 6]
  const takeVector = (at: number): Code => [
    ...[...get(from), ...loadVector(16 * at), ...int(0), ...loadVector(stateAt + 16 * at), ...xorVector, ...tee(bytes)],
    ...[...get(mask), ...andVector, ...set(low), ...get(bytes), ...int(4), ...shiftRight8, ...set(high)],
  ]
  const addTo = (nextByte: number, byte: number): Code => [
    ...[...int(0), ...loadVector(laneTableAt(byte, 0, nextByte)), ...get(low), ...lookUp],
    ...[...int(0), ...loadVector(laneTableAt(byte, 1, nextByte)), ...get(high), ...lookUp, ...xorVector],
    ...(byte === 0 ? [] : [...get(next + nextByte), ...xorVector]),
    ...set(next + nextByte),
  ]
  const places = Array.from({ length: vectors }, (_, place) => place)
  const code = [
    ...[...int(15), ...splat8, ...set(mask), ...loop],
    ...places.flatMap((byte) => [...takeVector(byte), ...places.flatMap((nextByte) => addTo(nextByte, byte))]),
    ...places.flatMap((at) => [...int(0), ...get(next + at), ...storeVector(stateAt + 16 * at)]),
    ...[...get(from), ...int(blockBytes), ...plus, ...set(from)],
    ...[...get(left), ...int(1), ...minus, ...tee(left), ...branchIf(0), ...end, ...end],
  ]
  return sized([...list([[4 + vectors, v128]]), ...code])
}

function addCode(): Code {
  const [register, from, to] = [0, 1, 2]
  const code = [
    ...[...block, ...loop, ...get(from), ...get(to), ...equal, ...branchIf(1)],
    ...[...get(register), ...wrap64, ...get(from), ...load8(0), ...xor32, ...int(255), ...and32, ...int(3), ...shiftLeft32],
    ...[...load64(byteTableAt), ...get(register), ...shiftRight64(8), ...xor64, ...set(register)],
    ...[...get(from), ...int(1), ...plus, ...set(from), ...branch, ...end, ...end, ...get(register), ...end],
  ]
  return sized([...list([]), ...code])
}

export const openCrc64 = (compiled: object): Crc64Module => new Instance(compiled).exports as Crc64Module

export const compileCrc64 = (): object =>
  new Module(
    new Uint8Array([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, [
        [0x60, 2, i32, i32, 0],
        [0x60, 3, i64, i32, i32, 1, i64],
      ]),
      ...section(3, [[0], [1]]),
      ...section(5, [[0, pages]]),
      ...section(7, [exported('fold', 0, 0), exported('add', 0, 1), exported('memory', 2, 0)]),
      ...section(10, [foldCode(), addCode()]),
    ]),
  )
