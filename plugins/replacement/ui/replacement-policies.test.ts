import { describe, expect, test } from 'vitest'
import { formatBytes } from '../../../ui/src/kit/format/bytes.ts'
import { readCursor } from './repairs/repair-words-policy.ts'
import { readProviderId, risksOf, unknownTime, type WhatIf } from './what-if/what-if-policy.ts'
import {
  afterRefusal,
  automaticChoice,
  type Candidate,
  chosenOf,
  newRequestId,
  optionOf,
  problemOf,
  stepperOf,
} from './wizard/wizard-policy.ts'
import { outstandingOf, type Replacement, readId, readStatus, stepsOf } from './words-policy.ts'

type Shown = Pick<Replacement, 'status' | 'progress'>

const shown = (status: Replacement['status'], changes: Partial<Replacement['progress']>): Shown => ({
  status,
  progress: {
    scope: 'provider_replacement',
    phase: 'migrate',
    seeding_complete: false,
    items_total: 0,
    items_copied: 0,
    items_no_longer_needed: 0,
    items_processed: 0,
    items_pending: 0,
    items_active: 0,
    items_retrying: 0,
    items_waiting_source: 0,
    items_failed: 0,
    items_attention: 0,
    ...changes,
  },
})

describe('the stages', () => {
  test.each([
    ['preparing_target', 'prepare', ['current', 'waiting', 'waiting']],
    ['waiting', 'prepare', ['current', 'waiting', 'waiting']],
    ['migrating', 'migrate', ['done', 'current', 'waiting']],
    ['failed', 'migrate', ['done', 'failed', 'waiting']],
    ['retiring', 'retire', ['done', 'done', 'current']],
    ['cleanup_attention', 'retire', ['done', 'done', 'failed']],
    ['completed', 'none', ['done', 'done', 'done']],
    ['superseded', 'none', []],
  ] as const)('of one that is %s in the phase %s', (status, phase, states) => {
    expect(stepsOf(shown(status, { phase })).map(({ state }) => state)).toEqual(states)
  })

  test('empty counts of outstanding contents are left out', () => {
    const found = shown('migrating', { items_active: 2, items_attention: 1 })
    expect(outstandingOf(found.progress).map(({ label, count }) => [label, count])).toEqual([
      ['In progress', 2],
      ['Need a decision', 1],
    ])
  })

  test('values of the address that the API would refuse are ignored', () => {
    expect(['failed', 'done', ''].map(readStatus)).toEqual(['failed', undefined, undefined])
    expect(['7', '0', 'x', '99999999999999999'].map(readId)).toEqual(['7', undefined, undefined, undefined])
  })
})

const candidate = (changes: Partial<Candidate>): Candidate => ({
  provider_id: '8',
  eligible: true,
  previously_used: false,
  provider_identity: { registry_provider_id: '8', name: 'Eight', service_url: 'https://eight.example' },
  failing: false,
  ...changes,
})

describe('the wizard', () => {
  const used = candidate({ provider_id: '5', previously_used: true })
  const serving = candidate({ provider_id: '6', eligible: false, ineligible_reason: 'already_serves_bucket' })
  const free = candidate({})

  test('svc chooses the first eligible provider that the bucket never used', () => {
    expect(automaticChoice([used, serving, free])).toBe(free)
    expect(automaticChoice([used, serving])).toBeUndefined()
  })

  const automatic = { mode: 'automatic', provider: '' } as const
  const manual = (provider: string) => ({ mode: 'manual', provider }) as const
  test.each([
    ['why', manual(''), undefined, undefined],
    ['who', automatic, undefined, 'The providers are not known yet.'],
    ['who', automatic, [free], undefined],
    ['who', automatic, [used], 'No available provider is left that this bucket never used. Choose one by hand.'],
    ['who', manual(''), [free], 'Choose a provider.'],
    ['who', manual('6'), [serving], 'Choose a provider.'],
    ['who', manual('5'), [used], undefined],
    ['review', manual('6'), [serving], 'Choose a provider.'],
    ['review', manual('5'), [used], undefined],
  ] as const)('in the step %s the choice %j of %j cannot go on when that is so', (step, choice, candidates, problem) => {
    expect(problemOf(step, choice, candidates)).toBe(problem)
  })

  test('an ineligible provider cannot be chosen and says why; a used one is marked', () => {
    expect(chosenOf({ mode: 'manual', provider: '6' }, [serving])).toBeUndefined()
    expect(optionOf(serving, formatBytes).lockedReason).toBe('It stores a replica of this bucket already.')
    expect(optionOf(candidate({ ...used, upload_bytes_per_second: 2 * 1024 * 1024, failing: true }), formatBytes)).toMatchObject({
      value: '5',
      help: 'uploads at 2.0 MiB/s, recent calls failed, used by this bucket before, retired',
      lockedReason: undefined,
    })
  })

  test.each([
    ['replacement_target_unavailable', 'choice'],
    ['replacement_target_in_use', 'choice'],
    ['replacement_no_eligible_provider', 'choice'],
    ['replacement_target_invalid', 'choice'],
    ['replacement_active', 'replica'],
    ['replacement_source_not_current', 'replica'],
    ['replacement_idempotency_conflict', 'new_request'],
    ['price_list_changed', 'repeat'],
    ['replacement_service_unavailable', 'repeat'],
    [undefined, 'repeat'],
  ] as const)('the refusal %s leads to %s', (code, next) => {
    expect(afterRefusal(code)).toBe(next)
  })

  test('each opening has a request id of its own, and the steps are marked', () => {
    expect(newRequestId()).toMatch(/^ui-[0-9a-f]{32}$/)
    expect(newRequestId()).not.toBe(newRequestId())
    expect(stepperOf('who').map(({ state }) => state)).toEqual(['done', 'current', 'waiting'])
  })
})

describe('what would be without a provider', () => {
  const count = (contents: number) => ({ contents, versions: contents, bytes: String(contents) })
  const found = {
    stored: count(3),
    below_target: count(3),
    below_minimum: count(0),
    no_other_copy: count(1),
    lost: count(0),
    heal: { seconds: null },
  } as WhatIf

  test('a risk has its tone only while it concerns a content', () => {
    expect(risksOf(found).map(({ id, tone }) => [id, tone])).toEqual([
      ['stored', 'neutral'],
      ['target', 'warning'],
      ['minimum', 'neutral'],
      ['only', 'danger'],
      ['lost', 'neutral'],
    ])
  })

  test('a time that was not measured is not a figure, and values of the address that the API would refuse are ignored', () => {
    expect(unknownTime(found)).toBe('Not known: no other provider was measured yet')
    expect(unknownTime({ heal: { ...found.heal, seconds: 0 } })).toBeUndefined()
    expect(['7', '0', '-1', 'x', '9'.repeat(79)].map(readProviderId)).toEqual(['7', '0', undefined, undefined, undefined])
    expect(['7', '0', 'x', '99999999999999999'].map(readCursor)).toEqual(['7', undefined, undefined, undefined])
  })
})
