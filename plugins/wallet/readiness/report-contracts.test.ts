import { expect, test } from 'vitest'
import type { Log } from '#kernel'
import { silentLog } from '#kernel/testing'
import { ChainUnreachable } from '../chain/chain-error.ts'
import { reportContracts } from './report-contracts.ts'

type Versions = { readonly fwss: string; readonly pdpVerifier: string }

async function linesFor(contractVersions: () => Promise<Versions>): Promise<readonly unknown[]> {
  const lines: unknown[] = []
  const note = (level: string) => (message: string, fields?: object) => void lines.push([level, message, fields])
  const log: Log = { ...silentLog, error: note('error'), warn: note('warn') }
  await reportContracts({ contractVersions }, log)
  return lines
}

test('contracts of an unknown major version are reported at the start with found and required version', async () => {
  expect(await linesFor(async () => ({ fwss: '2.0.0', pdpVerifier: '3.4.0' }))).toEqual([
    ['error', expect.stringMatching(/^contracts not supported: nothing is paid/), { reason: expect.stringContaining('at version 2.0.0') }],
  ])
})

test('supported contracts log nothing, and an unreachable node logs a warning', async () => {
  expect(await linesFor(async () => ({ fwss: '1.3.1', pdpVerifier: '3.5.0' }))).toEqual([])
  const unreachable = () => Promise.reject(new ChainUnreachable('no answer'))
  expect(await linesFor(unreachable)).toMatchObject([['warn', expect.stringContaining('not checked'), {}]])
})
