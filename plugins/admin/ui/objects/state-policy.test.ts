import { describe, expect, test } from 'vitest'
import { bestCopies, describeState, mergeProgress } from './state-policy.ts'

const progress = (attempt: number, uploaded_bytes: number, done = false) => ({ attempt, uploaded_bytes, done }) as never

describe('states of objects', () => {
  test('an object without readable bytes says so, whatever its copies do', () => {
    expect(describeState({ state: 'stored', status: 'unavailable' }).word).toBe('Unavailable')
    expect(describeState({ state: 'stored', status: 'success' }).word).toBe('Stored')
  })

  test('a state is no progress while no task works on the copies', () => {
    expect(describeState({ state: 'replicating', status: 'syncing' }).word).toBe('Replicating')
    expect(describeState({ state: 'replicating', status: 'syncing', attention_code: 'stuck' })).toMatchObject({
      word: 'Stuck',
      tone: 'danger',
    })
    expect(describeState({ state: 'cached', status: 'unavailable', attention_code: 'stuck' }).word).toBe('Unavailable')
  })

  test('an object that failed is stuck, and one whose tasks all wait says what it waits for', () => {
    const copies = (work: 'stuck' | 'waiting' | 'working') => ({
      work,
      target: 2,
      stored: 1,
      slots: [],
      wait_message: 'Waits for the chain.',
    })
    expect(describeState({ state: 'failed', status: 'warning', copies: copies('stuck') }).word).toBe('Stuck')
    expect(describeState({ state: 'replicating', status: 'syncing', copies: copies('waiting') })).toMatchObject({
      word: 'Waiting',
      text: 'Waits for the chain.',
    })
    expect(describeState({ state: 'replicating', status: 'syncing', copies: copies('working') }).word).toBe('Replicating')
  })

  test('progress never runs backwards', () => {
    expect(mergeProgress(undefined, progress(1, 5))).toEqual(progress(1, 5))
    expect(mergeProgress(progress(1, 9), progress(1, 5))).toEqual(progress(1, 9))
    expect(mergeProgress(progress(1, 9, true), progress(1, 9))).toEqual(progress(1, 9, true))
    expect(mergeProgress(progress(2, 1), progress(1, 9))).toEqual(progress(2, 1))
    expect(mergeProgress(progress(1, 9), progress(2, 1))).toEqual(progress(2, 1))
  })
})

const copy = (copy_index: number, status: 'pending' | 'committed' | 'failed', provider_id: string) => ({ copy_index, status, provider_id })

test('a replica that moves to another provider counts as one copy, the better one', () => {
  const moving = [copy(0, 'committed', '1'), copy(0, 'pending', '7'), copy(1, 'committed', '2')]
  expect(bestCopies(moving).map(({ provider_id }) => provider_id)).toEqual(['1', '2'])
  expect(bestCopies([copy(0, 'failed', '1'), copy(0, 'pending', '7')]).map(({ status }) => status)).toEqual(['pending'])
  expect(bestCopies([])).toEqual([])
})
