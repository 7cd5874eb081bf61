import { expect, test } from 'vitest'
import { AllowedMethods } from './allowed-methods.ts'

const methods = new AllowedMethods()
methods.add({ url: '/things', method: 'POST' })
methods.add({ url: '/things', method: ['GET', 'HEAD'] })
methods.add({ url: '/things/:id', method: 'DELETE' })
methods.add({ url: '/things/new', method: 'PUT' })
methods.add({ url: '/pages/*', method: 'GET' })

test.each([
  ['/things', ['GET', 'HEAD', 'POST']],
  ['/things/7', ['DELETE']],
  ['/things/new', ['DELETE', 'PUT']],
  ['/things/', []],
  ['/things/7/parts', []],
  ['/pages/one', []],
  ['/', []],
])('the path %s allows %o', (path, allowed) => {
  expect(methods.of(path)).toEqual(allowed)
})
