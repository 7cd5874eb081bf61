import { describe, expect, test } from 'vitest'
import { judgeFiles, priceableFiles, readSizeLimits } from './upload-policy.ts'

const limits = { min: 127, max: 1_065_353_216 }
const problemOf = (path: string, size: number) => judgeFiles([{ path, size }], 'in/', limits)[0]?.problem

describe('files to upload', () => {
  test('the limits come from the settings that are in effect', () => {
    const s3 = { min_object_size: 127, max_object_size: 500, object_sizes: 'default' }
    expect(readSizeLimits({ config: { s3 }, restart_required: false })).toEqual({ min: 127, max: 500 })
    expect(readSizeLimits({ config: { s3 }, restart_required: true })).toBeUndefined()
    expect(readSizeLimits({ config: { s3: { ...s3, object_sizes: 'any' } }, restart_required: false })).toBeUndefined()
    expect(readSizeLimits({ config: {}, restart_required: false })).toBeUndefined()
  })

  test('sizes are judged at both ends', () => {
    expect(problemOf('a', 126)).toContain('126 bytes')
    expect(problemOf('a', 127)).toBeUndefined()
    expect(problemOf('a', limits.max)).toBeUndefined()
    expect(problemOf('a', limits.max + 1)).toContain('Too large')
    expect(judgeFiles([{ path: 'a', size: 0 }], '', undefined)[0]?.problem).toBeUndefined()
  })

  test('the second of two files with one key is not sent', () => {
    const judged = judgeFiles(
      [
        { path: 'a', size: 200 },
        { path: 'a', size: 300 },
        { path: 'b/a', size: 300 },
      ],
      'in/',
      limits,
    )
    expect(judged.map(({ key }) => key)).toEqual(['in/a', 'in/a', 'in/b/a'])
    expect(judged.map(({ problem }) => problem !== undefined)).toEqual([false, true, false])
  })

  test('a key that is too long is named', () => {
    expect(problemOf('x'.repeat(1022), 200)).toContain('1025 bytes')
  })
})

test('files are priced as objects of their mean size; empty ones need no copies', () => {
  const files = [0, 100, 201].map((size) => ({ path: String(size), size }))
  expect(priceableFiles(files)).toEqual({ objects: 2, bytes: 151 })
  expect(priceableFiles(files.slice(0, 1))).toBeUndefined()
})
