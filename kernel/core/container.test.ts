import { expect, test } from 'vitest'
import { Services } from './container.ts'
import { defineService, optional, provide } from './service.ts'

const log = defineService<string>('log')
const engine = defineService<{ readonly name: string }>('engine')
const car = defineService<{ readonly engine: { readonly name: string } }>('car')

test('a service is created once from its dependencies and shared', async () => {
  const services = new Services()
  const scope = services.scope()
  await services.create(
    provide(engine, {}, () => ({ name: 'diesel' })),
    scope,
  )
  await services.create(
    provide(car, { engine }, async (uses) => ({ engine: uses.engine })),
    scope,
  )
  expect(services.scope().get(car).engine).toBe(scope.get(engine))
})

test('values of one plugin take precedence over shared ones', () => {
  const services = new Services()
  services.share(log, 'shared')
  expect(services.scope([[log, 'personal']]).get(log)).toBe('personal')
  expect(services.scope().get(log)).toBe('shared')
})

test('a missing service is an error that names its id, unless it is optional', () => {
  const scope = new Services().scope()
  expect(() => scope.get(engine)).toThrow("no enabled plugin provides the service 'engine'")
  expect(scope.resolve({ engine: optional(engine) })).toEqual({ engine: undefined })
})

test('two kernels in one process share nothing', () => {
  const one = new Services()
  one.share(log, 'one')
  expect(() => new Services().scope().get(log)).toThrow('no enabled plugin')
})

test('services are disposed in reverse order; a failure is named and stops no other disposal', async () => {
  const services = new Services()
  const gone: string[] = []
  const disposable = (name: string, fails = false) => ({
    async [Symbol.asyncDispose]() {
      gone.push(name)
      if (fails) throw new Error(`${name} is stuck`)
    },
  })
  const scope = services.scope()
  await services.create(
    provide(defineService('a'), {}, () => disposable('a')),
    scope,
  )
  await services.create(
    provide(defineService('b'), {}, () => disposable('b', true)),
    scope,
  )
  await services.create(
    provide(defineService('c'), {}, () => ({ [Symbol.dispose]: () => void gone.push('c') })),
    scope,
  )
  await services.create(
    provide(defineService('d'), {}, () => 'plain'),
    scope,
  )
  await expect(services[Symbol.asyncDispose]()).rejects.toThrow("service 'b' did not stop cleanly")
  expect(gone).toEqual(['c', 'b', 'a'])
  await services[Symbol.asyncDispose]()
  expect(gone).toHaveLength(3)
})
