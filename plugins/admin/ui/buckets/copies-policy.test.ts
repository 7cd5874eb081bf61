import { describe, expect, test } from 'vitest'
import { copiesChange, copiesOfNewBucket, describeEffects, findCopiesProblem, readDefaultCopies } from './copies-policy.ts'

const current = { target: 3, minimum: 2 }

describe('the two numbers of a copy policy', () => {
  test('a minimum above the target is refused, also for a new bucket', () => {
    expect(findCopiesProblem({ target: 2, minimum: 3 })).toContain('must not be above')
    expect(findCopiesProblem({ target: 4, minimum: 5 }, current)).toContain('must not be above')
    expect(findCopiesProblem({ target: 3, minimum: 3 }, current)).toBeUndefined()
  })

  test('the target of a bucket only rises', () => {
    expect(findCopiesProblem({ target: 2, minimum: 1 }, current)).toContain('only be added')
    expect(findCopiesProblem({ target: 2, minimum: 1 })).toBeUndefined()
    expect(findCopiesProblem({ target: 8, minimum: 1 }, current)).toBeUndefined()
  })

  test('a request has the changed members alone', () => {
    expect(copiesChange({ target: 4, minimum: 2 }, current)).toEqual({ default_copies: 4 })
    expect(copiesChange({ target: 3, minimum: 1 }, current)).toEqual({ minimum_durable_copies: 1 })
    expect(copiesChange(current, current)).toEqual({})
  })

  test('a new bucket names its numbers once they were shown or chosen', () => {
    const start = { target: 1, minimum: 1, isKnown: false, isTouched: false }
    const both = { default_copies: 1, minimum_durable_copies: 1 }
    expect(copiesOfNewBucket(start)).toEqual({})
    expect(copiesOfNewBucket({ ...start, isKnown: true })).toEqual(both)
    expect(copiesOfNewBucket({ ...start, isTouched: true })).toEqual(both)
  })

  test('each changed number has its own effect', () => {
    expect(describeEffects(current, current)).toEqual([])
    expect(describeEffects({ target: 5, minimum: 2 }, current)).toEqual([expect.stringContaining('2 more than now')])
    expect(describeEffects({ target: 3, minimum: 3 }, current)).toEqual([expect.stringContaining('until the version has 3 copies')])
    expect(describeEffects({ target: 3, minimum: 1 }, current)).toEqual([expect.stringContaining('once the version has 1 copy')])
  })

  test('the numbers of a new bucket start at the configured ones', () => {
    expect(readDefaultCopies(3, { chain: { default_minimum_durable_copies: 0 } })).toEqual({ target: 3, minimum: 3 })
    expect(readDefaultCopies(2, { chain: { default_minimum_durable_copies: 4 } })).toEqual({ target: 2, minimum: 2 })
    expect(readDefaultCopies(undefined, { chain: { default_copies: 4, default_minimum_durable_copies: 1 } })).toEqual({
      target: 4,
      minimum: 1,
    })
    expect(readDefaultCopies(undefined, {})).toEqual({ target: 1, minimum: 1 })
  })
})
