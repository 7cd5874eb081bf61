/** The two runners against a scripted receiver and chain. */
import { expect, test } from 'vitest'
import type { SenderNonces } from './outcome-policy.ts'
import { type SendAnswer, type SendPort, sendAttempt } from './send-attempt.ts'
import { type LookUp, type SettlePort, settleAttempt } from './settle-attempt.ts'
import type { AttemptState } from './transition-policy.ts'

const nowMs = 1_000_000
const limits = { handlingMs: 10_000, attentionMs: 60_000 }

class Killed extends Error {}

/** A row of an attempt, the requests that its receiver got, and what the chain shows. */
class Scene {
  state: AttemptState = 'ready'
  readonly steps: string[] = []
  answer: SendAnswer['kind'] = 'ok'
  killAt: 'recorded' | 'sent' | 'answered' | undefined
  /** Answers of the chain, the last one repeated. */
  lookUps: LookUp<string>[] = [{ kind: 'open' }]
  sender: SenderNonces | undefined = { pooled: 7, final: 7 }
  observedNonce: number | null = null
  sentAtMs = nowMs
  isReportedFailed = false
  isAccepted = false
  hasEvidence = true

  readonly #reached = async (point: string) => {
    if (this.killAt === point) throw new Killed(point)
  }

  send(): Promise<string | undefined> {
    const port: SendPort<number, SendAnswer, string> = {
      probes: { recorded: () => this.#reached('recorded'), sent: () => this.#reached('sent') },
      record: async () => {
        if (this.state !== 'ready') return undefined
        this.state = 'recorded'
        this.steps.push('record')
        return 5
      },
      send: async () => {
        this.steps.push(`send while ${this.state}`)
        return { kind: this.answer }
      },
      answered: async ({ kind }, attempt) => {
        await this.#reached('answered')
        this.state = kind === 'uncertain' ? 'uncertain' : 'submitted'
        return `${kind} for ${attempt}`
      },
      notSent: async (_answer, attempt) => {
        this.state = 'ready'
        return `not sent for ${attempt}`
      },
    }
    return sendAttempt(port)
  }

  settle(): Promise<string> {
    const port: SettlePort<string, string> = {
      state: this.state,
      now: () => nowMs,
      isAccepted: this.isAccepted,
      lookUp: async (round) => {
        this.steps.push(`look up ${round}`)
        return (this.lookUps.length > 1 ? this.lookUps.shift() : this.lookUps[0]) as LookUp<string>
      },
      ...(this.hasEvidence && {
        evidence: {
          sentAtMs: this.sentAtMs,
          observedNonce: this.observedNonce,
          limits,
          isReportedFailed: async () => {
            this.steps.push('ask the receiver')
            return this.isReportedFailed
          },
          countSent: async () => {
            this.steps.push('count')
            return this.sender
          },
        },
      }),
      settled: async (final) => `settled ${final}`,
      reopened: async ({ cause, isReportedFailed }) => {
        this.state = 'ready'
        return `reopened ${cause}${isReportedFailed ? ', reported as failed' : ''}`
      },
      undecided: async ({ observe, needsAttention }) => {
        if (this.state === 'recorded') this.state = 'uncertain'
        if (observe !== undefined) this.observedNonce = observe
        return `undecided${observe === undefined ? '' : `, observe ${observe}`}${needsAttention ? ', attention' : ''}`
      },
    }
    return settleAttempt(port)
  }
}

const scene = (facts: Partial<Scene> = {}): Scene => Object.assign(new Scene(), facts)
const landed = { kind: 'landed', final: 'piece 3' } as const
const sends = ({ steps }: Scene): number => steps.filter((step) => step.startsWith('send')).length

test.each([
  ['ok', 'ok for 5', 'submitted'],
  ['landed', 'landed for 5', 'submitted'],
  ['uncertain', 'uncertain for 5', 'uncertain'],
  ['not_sent', 'not sent for 5', 'ready'],
] as const)('I-04: an attempt is recorded before it is sent; the answer %s is handled', async (answer, result, state) => {
  const attempt = scene({ answer })
  expect(await attempt.send()).toBe(result)
  expect(attempt.steps).toEqual(['record', 'send while recorded'])
  expect(attempt.state).toBe(state)
})

test.each(['recorded', 'submitted', 'uncertain', 'landed', 'closed'] as const)('an attempt that is %s is not sent', async (state) => {
  const attempt = scene({ state })
  expect(await attempt.send()).toBeUndefined()
  expect(sends(attempt)).toBe(0)
})

test.each([
  ['recorded', 0],
  ['sent', 1],
  ['answered', 1],
] as const)('I-05: after a kill at "%s" the attempt is looked up, not sent again', async (killAt, sent) => {
  const attempt = scene({ killAt })
  await expect(attempt.send()).rejects.toThrow(Killed)
  attempt.killAt = undefined
  expect(await attempt.send()).toBeUndefined()
  expect(await attempt.settle()).toBe('undecided')
  expect(sends(attempt)).toBe(sent)
  attempt.lookUps = [landed]
  expect(await attempt.settle()).toBe('settled piece 3')
  expect(sends(attempt)).toBe(sent)
})

test.each([
  [
    'a used nonce is proof of a landing, even when the provider reports a failure',
    { lookUps: [landed], isReportedFailed: true },
    'settled piece 3',
    ['look up first'],
  ],
  ['an attempt that can never land is settled', { lookUps: [{ kind: 'ended', final: 'replaced' }] }, 'settled replaced', ['look up first']],
  ['the sender may still be working', {}, 'undecided', ['look up first', 'ask the receiver', 'count']],
  [
    'the count of the sender is recorded after its handling time',
    { sentAtMs: nowMs - 10_000 },
    'undecided, observe 7',
    ['look up first', 'ask the receiver', 'count'],
  ],
  [
    'the count of the sender is recorded after a reported failure',
    { isReportedFailed: true },
    'undecided, observe 7',
    ['look up first', 'ask the receiver', 'count'],
  ],
  [
    'an operator is notified after the attention time',
    { sentAtMs: nowMs - 60_000, sender: undefined },
    'undecided, attention',
    ['look up first', 'ask the receiver', 'count'],
  ],
  [
    'all counted transactions are final',
    { observedNonce: 7 },
    'reopened not_landed',
    ['look up first', 'ask the receiver', 'count', 'look up again'],
  ],
  [
    'a failed transaction is reported with the reopening',
    { observedNonce: 7, isReportedFailed: true },
    'reopened not_landed, reported as failed',
    ['look up first', 'ask the receiver', 'count', 'look up again'],
  ],
  [
    'a landing during the count wins',
    { observedNonce: 7, lookUps: [{ kind: 'open' }, landed] },
    'settled piece 3',
    ['look up first', 'ask the receiver', 'count', 'look up again'],
  ],
  ['an operator accepts a second request', { isAccepted: true }, 'reopened operator', ['look up first', 'look up again']],
  [
    'an accepted second request is not needed',
    { isAccepted: true, lookUps: [{ kind: 'open' }, landed] },
    'settled piece 3',
    ['look up first', 'look up again'],
  ],
  ['no node knows the bytes of the wallet', { hasEvidence: false, lookUps: [{ kind: 'absent' }] }, 'reopened absent', ['look up first']],
  ['a node has the bytes of the wallet in its pool', { hasEvidence: false }, 'undecided', ['look up first']],
] as [string, Partial<Scene>, string, string[]][])('I-05: %s', async (_name, facts, result, steps) => {
  const attempt = scene({ state: 'uncertain', ...facts })
  expect(await attempt.settle()).toBe(result)
  expect(attempt.steps).toEqual(steps)
})

test.each(['ready', 'landed', 'closed'] as const)('an attempt that is %s is not reopened', async (state) => {
  const attempt = scene({ state, observedNonce: 7 })
  await expect(attempt.settle()).rejects.toThrow(`the event reopened is refused: the paid attempt is ${state}`)
  expect(attempt.state).toBe(state)
})

test('a lost request is sent twice at most with proof in between: count, wait until final, look up, send the same bytes', async () => {
  const attempt = scene({ answer: 'uncertain' })
  await attempt.send()
  attempt.sentAtMs = nowMs - 10_000
  attempt.sender = { pooled: 9, final: 7 }
  expect(await attempt.settle()).toBe('undecided, observe 9')
  expect(await attempt.settle()).toBe('undecided')
  expect(await attempt.send()).toBeUndefined()
  attempt.sender = { pooled: 9, final: 9 }
  expect(await attempt.settle()).toBe('reopened not_landed')
  attempt.answer = 'ok'
  expect(await attempt.send()).toBe('ok for 5')
  expect(sends(attempt)).toBe(2)
})
