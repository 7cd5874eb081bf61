import { describe, expect, test } from 'vitest'
import { foldLimit, type LanesData, rowHeight, toConnected, toLanesLayout } from './lanes-policy.ts'

describe('map', () => {
  const node = (id: string) => ({ id, label: id, tone: 'success', state: 'healthy' }) as const
  const set = (id: string, bucket: string, provider: string) => ({ ...node(id), bucket, provider })
  const data: LanesData = {
    buckets: [node('a'), node('b')],
    sets: [set('1', 'b', 'x'), set('2', 'a', 'x'), set('3', 'a', 'y')],
    providers: [node('x'), node('y'), node('idle')],
  }

  test('data sets stand in the order of their buckets', () => {
    expect(toLanesLayout(data, false).data.sets.map(({ id }) => id)).toEqual(['2', '3', '1'])
  })

  test('lines end at the middle of their nodes', () => {
    const { left, right, tops, height } = toLanesLayout(data, false)
    expect(height).toBe(3 * rowHeight)
    expect(left[0]).toMatchObject({ from: 'bucket:a', to: 'set:2', fromY: tops.bucket + rowHeight / 2, toY: rowHeight / 2 })
    expect(right[2]).toMatchObject({ from: 'set:1', to: 'provider:x', toY: rowHeight / 2 })
  })

  test('a data set of a provider that the API did not list has no line to it', () => {
    const { right } = toLanesLayout({ ...data, providers: [node('y')] }, false)
    expect(right.map(({ to }) => to)).toEqual(['provider:y'])
  })

  test('buckets past the limit are folded with what only they use', () => {
    const buckets = Array.from({ length: foldLimit + 5 }, (_, index) => node(`b${index}`))
    const many = {
      buckets,
      sets: buckets.map(({ id }, index) => set(id, id, index < foldLimit ? 'x' : 'y')),
      providers: data.providers,
    }
    const folded = toLanesLayout(many, false)
    expect([folded.folded, folded.data.sets.length, folded.data.providers.map(({ id }) => id)]).toEqual([5, foldLimit, ['x']])
    expect(toLanesLayout(many, true)).toMatchObject({ folded: 0, data: { providers: data.providers } })
  })

  test('a node is connected to what stores it', () => {
    expect([...toConnected(data, 'bucket:a')].sort()).toEqual(['bucket:a', 'provider:x', 'provider:y', 'set:2', 'set:3'])
    expect([...toConnected(data, 'provider:y')].sort()).toEqual(['bucket:a', 'provider:y', 'set:3'])
    expect([...toConnected(data, 'provider:idle')]).toEqual(['provider:idle'])
  })
})
