/** An operator who releases storage confirmations while attempts wait in a chain that stands still. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainControl } from '../../devnet/chain/chain-control.ts'
import { until } from '../fixtures/until.ts'
import type { LiveGateway } from './live-gateway.ts'
import type { Random } from './random.ts'

interface OperatorDeps {
  readonly chain: ChainControl
  readonly gateway: LiveGateway
  readonly bucket: string
  readonly random: Random
}

interface Released {
  readonly problems: readonly string[]
  readonly answered: ReadonlyMap<string, number>
}

/** Entries appear after 60 epochs and the next late check, if an addition was sent while the chain stood still. */
const entriesWithinMs = 90_000
const dataSetWithinMs = 180_000
/** The released copies are attempted again while the old attempts still wait. */
const afterReleaseMs = 3000
const pauseMs = 500

/** Stops the chain until entries were released or none came, then lets it mine: the released attempts land late, beside new ones. */
export async function releaseUndecided({ chain, gateway, bucket, random }: OperatorDeps): Promise<Released> {
  const problems: string[] = []
  const answered = new Map<string, number>()
  const count = (what: string) => answered.set(what, (answered.get(what) ?? 0) + 1)
  // Without a data set nothing is paid for.
  await until(
    'a data set on chain',
    async () => {
      const { json } = await gateway.process.call('GET', `/api/v1/buckets/${bucket}`)
      return json?.data_sets?.some(({ data_set_id }: { readonly data_set_id?: string }) => data_set_id !== undefined) || undefined
    },
    { withinMs: dataSetWithinMs },
  )
  await chain.hold()
  try {
    const endMs = performance.now() + entriesWithinMs
    while (performance.now() < endMs && !answered.has('release')) {
      await sleep(pauseMs)
      const entries = (await gateway.process.call('GET', '/api/v1/storage-confirmations')).json
      for (const { copy_id, attempt_id } of entries) {
        // The others are settled by the chain.
        if (random.chance(0.5)) continue
        const json = { expected_attempt_id: attempt_id, acknowledge_possible_duplicate: true }
        const { status, text } = await gateway.process.call('POST', `/api/v1/storage-confirmations/${copy_id}/release`, { json })
        count(status < 300 ? 'release' : 'release refused')
        if (![200, 404, 409, 503].includes(status)) problems.push(`the release of copy ${copy_id} was answered with ${status} ${text}`)
      }
    }
    await sleep(afterReleaseMs)
  } finally {
    await chain.release()
  }
  return { problems: [...problems, ...findNoRelease(answered)], answered }
}

const findNoRelease = (answered: ReadonlyMap<string, number>): readonly string[] =>
  answered.has('release refused') && !answered.has('release') ? ['storage confirmations were listed and none could be released'] : []
