import { expect, test } from 'vitest'
import {
  type Copy,
  failuresOf,
  journeyOf,
  type Proof,
  type Provenance,
  safeUrl,
  stateLook,
  toCastCommand,
  toSlots,
} from './describe-life.ts'
import { takeVersionProgress } from './progress-policy.ts'

const copy = (copy_index: number, status: Copy['status'], last_error?: string): Copy => ({
  copy_index,
  status,
  health: { status: 'available', reason_codes: [], stale: false, ...(last_error === undefined ? {} : { last_error }) },
  provider_id: String(copy_index + 1),
  transfer_method: 'ingress',
  is_new_data_set: false,
})

test('only copies with an error are failed attempts', () => {
  expect(failuresOf([copy(0, 'committed'), copy(1, 'failed', 'refused')]).map(({ copy_index }) => copy_index)).toEqual([1])
})

test('an address of a provider becomes a link only when it is one of the web', () => {
  expect(safeUrl('https://p7.example/piece/bafk')).toBe('https://p7.example/piece/bafk')
  expect(['javascript:alert(1)', 'data:text/html,x', 'piece/7', undefined].map(safeUrl)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('progress of another version or of an earlier attempt changes nothing', () => {
  const shown = { version_id: 'v', progress: { attempt: 2, uploaded_bytes: 10 } } as Provenance
  expect(takeVersionProgress(shown, { version_id: 'w', progress: { attempt: 3, uploaded_bytes: 99 } })).toBe(shown)
  expect(takeVersionProgress(shown, { version_id: 'v', progress: { attempt: 1, uploaded_bytes: 99 } })).toBe(shown)
  expect(takeVersionProgress(shown, { version_id: 'v', progress: { attempt: 2, uploaded_bytes: 11 } }).progress?.uploaded_bytes).toBe(11)
})

const piece = (copy_index: number, part: number, change: object = {}) =>
  ({ copy_index, part, status: 'committed', counts: true, committed_at: '2026-03-01T00:00:00Z', ...change }) as Proof['copies'][number]
const proofOf = (...copies: readonly Proof['copies'][number][]) =>
  ({ size: 2048, created_at: '2026-02-28T00:00:00Z', copies }) as unknown as Proof
const provenanceOf = (change: Partial<Provenance>) => ({ copies: [], state: 'replicating', ...change }) as unknown as Provenance

test('pieces stand by slot and part, also when the service lists no copy of the slot', () => {
  const slots = toSlots(proofOf(piece(1, 1), piece(1, 0)), provenanceOf({ copies: [copy(0, 'pending'), copy(1, 'committed')] }))
  expect(slots.map(({ copyIndex, copy, pieces }) => [copyIndex, copy?.status, pieces.map(({ part }) => part)])).toEqual([
    [0, 'pending', []],
    [1, 'committed', [0, 1]],
  ])
  expect(toSlots(undefined, undefined)).toEqual([])
})

test('the journey says how far the object is', () => {
  const version = { location: { cache: true, chain: false } } as Parameters<typeof journeyOf>[0]['version']
  const statesOf = (...of: Parameters<typeof journeyOf>) => journeyOf(...of).map(({ state }) => state)
  expect(statesOf({ proof: proofOf(), provenance: provenanceOf({ success_copies: 0, requested_copies: 2 }), version })).toEqual([
    'done',
    'done',
    'current',
    'waiting',
  ])
  const stored = provenanceOf({ success_copies: 2, requested_copies: 2, state: 'stored' })
  expect(statesOf({ proof: proofOf(piece(0, 0), piece(1, 0)), provenance: stored, version })[3]).toBe('current')
  const proven = { last_proven_at: '2026-03-02T00:00:00Z' }
  const whole = journeyOf({ proof: proofOf(piece(0, 0, proven), piece(1, 0, proven)), provenance: stored, version })
  expect(whole.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done'])
  expect(whole[3]).toMatchObject({ time: proven.last_proven_at, text: 'All of its pieces are proven' })
  expect(statesOf({ proof: proofOf(piece(0, 0, { ...proven, counts: false })), provenance: stored, version })[3]).toBe('failed')
  const stuck = provenanceOf({ success_copies: 1, requested_copies: 2, attention_code: 'stuck' })
  expect(
    statesOf({ proof: proofOf(), provenance: stuck, version: { ...version, location: { cache: false, chain: false } } as never }),
  ).toEqual(['done', 'failed', 'failed', 'waiting'])
})

test('a state without a task is stuck', () => {
  expect(stateLook({ state: 'stored' })).toEqual({ word: 'Stored', tone: 'success' })
  expect(stateLook({ state: 'replicating', attention_code: 'copies_denied' })).toEqual({ word: 'Replicating', tone: 'info' })
  expect(stateLook({ state: 'replicating', attention_code: 'stuck' })).toEqual({ word: 'Stuck', tone: 'danger' })
})

test('a verification call is a command that quotes its signature', () => {
  const call = { shows: 'x', contract: '0xab', function: 'pieceLive(uint256,uint256)', arguments: ['7', '3'] }
  expect(toCastCommand(call)).toBe(`cast call 0xab 'pieceLive(uint256,uint256)' 7 3 --rpc-url "$RPC_URL"`)
})
