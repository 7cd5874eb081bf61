import { expect, test } from 'vitest'
import { testKernel } from '#kernel/testing'
import { objects } from '#plugins/storage'
import { storagePlugin } from '../storage/plugin.ts'
import { s3Plugin } from './plugin.ts'
import { s3Section } from './settings.ts'

test.each([
  [{}, [127, 1_065_353_216]],
  [{ 's3.min_object_size': 1, 's3.max_object_size': 10_000_000_000 }, [1, 10_000_000_000]],
  [{ 's3.object_sizes': 'any' }, [0, 5_497_558_138_880]],
])('with %o the sizes of uploads through every API are %o', async (config, [min, max]) => {
  await using svc = await testKernel({ plugins: [storagePlugin, s3Plugin], config: { 'server.port': '127.0.0.1:0', ...config } })
  const { sizeBytesMin, sizeBytesMax } = svc.kernel.get(objects)
  expect([sizeBytesMin, sizeBytesMax]).toEqual([min, max])
})

const defaults = { object_sizes: 'default', min_object_size: 127, max_object_size: 1_065_353_216 }

test.each([
  [{}, []],
  [{ object_sizes: 'any' }, []],
  [{ object_sizes: 'any', min_object_size: 0, max_object_size: 5_497_558_138_880 }, []],
  [{ object_sizes: 'any', min_object_size: 5 }, ['min_object_size (5) must be removed while s3.object_sizes is "any"']],
  [{ object_sizes: 'any', max_object_size: 900 }, ['max_object_size (900) must be removed while s3.object_sizes is "any"']],
  [{ min_object_size: 100, max_object_size: 99 }, ['min_object_size (100) must be <= s3.max_object_size, got 99']],
])('the sizes %o are checked together', (values, problems) => {
  const found = s3Section.check({ ...defaults, ...values } as never)
  expect(found.map(({ key, message }) => `${key} ${message}`)).toEqual(problems)
})
