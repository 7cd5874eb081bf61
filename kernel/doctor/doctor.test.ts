import { expect, test } from 'vitest'
import { definePlugin } from '../core/plugin.ts'
import { testKernel } from '../testing/test-kernel.ts'
import { type DoctorCheck, defineDoctorCheck, defineDoctorFix, doctorChecks, doctorFixes } from './check.ts'
import { type Bound, createDoctor } from './doctor.ts'
import { doctor } from './service.ts'

const check = (name: string, look: DoctorCheck['look']): DoctorCheck =>
  defineDoctorCheck({ name, title: name, proves: [], cost: 'quick', uses: {}, look })
const bound = <C>(item: C): Bound<C> => ({ item, services: () => ({}) })
const read = {} as never
const of = (...checks: readonly DoctorCheck[]) =>
  createDoctor({ checks: () => checks.map(bound), fixes: () => [], databasePath: undefined, read, isOnline: true })

test('a page is asked for with its cursor and sample, and an unknown name is refused', async () => {
  const looks: object[] = []
  using running = of(
    check('test.pages', async (_services, { after, sample, isOnline }) => {
      looks.push({ after, sample, isOnline })
      return { findings: [], compared: 1, next: 'b' }
    }),
  )
  expect(await running.look('test.pages', { after: 'a', sample: 3 })).toEqual({ findings: [], compared: 1, next: 'b' })
  expect(looks).toEqual([{ after: 'a', sample: 3, isOnline: true }])
  await expect(running.look('test.other', {})).rejects.toMatchObject({ code: 'doctor_check_not_found' })
  await expect(running.fix('test.other', '')).rejects.toMatchObject({ code: 'doctor_fix_not_found' })
})

test('a check that throws is not known, with its reason', async () => {
  using running = of(check('test.fails', async () => Promise.reject(new Error('the chain is silent'))))
  await expect(running.look('test.fails', {})).rejects.toMatchObject({ code: 'doctor_check_failed', message: 'the chain is silent' })
})

test('a fifth page at the same time is refused until one of the others ends', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const page = { findings: [], compared: 0 }
  using running = of(check('test.waits', () => promise.then(() => page)))
  const four = Array.from({ length: 4 }, () => running.look('test.waits', {}))
  await expect(running.look('test.waits', {})).rejects.toMatchObject({ code: 'doctor_busy', status: 503 })
  resolve()
  expect(await Promise.all(four)).toEqual([page, page, page, page])
  expect(await running.look('test.waits', {})).toEqual(page)
})

test('a late page is answered at once, reads no more rows, and counts until it has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let reads = 0
  const reader = { get: async () => undefined, all: async () => [reads++] } as never
  const ends: Promise<unknown>[] = []
  const page = { findings: [], compared: 0 }
  const late = check('test.late', (_services, look) => {
    const end = promise.then(() => look.read.all({} as never)).then(() => page)
    ends.push(end.catch((error: unknown) => error))
    return end
  })
  const now = check('test.now', async () => page)
  using running = createDoctor({
    checks: () => [late, now].map(bound),
    fixes: () => [],
    databasePath: undefined,
    read: reader,
    isOnline: true,
    lateMs: 1,
  })
  const four = await Promise.allSettled(Array.from({ length: 4 }, () => running.look('test.late', {})))
  for (const look of four) expect(look).toMatchObject({ reason: { code: 'doctor_check_late' } })
  await expect(running.look('test.now', {})).rejects.toMatchObject({ code: 'doctor_busy' })
  resolve()
  expect(await Promise.all(ends)).toMatchObject(Array.from({ length: 4 }, () => ({ code: 'doctor_check_late' })))
  expect(reads).toBe(0)
  expect(await running.look('test.now', {})).toEqual(page)
})

test('checks and fixes of plugins run in a started kernel, beside those of the kernel', async () => {
  let fixed = ''
  const plugin = definePlugin({
    id: 'example',
    contributes: [
      doctorChecks.with(check('example.nothing', async () => ({ findings: [], compared: 7 }))),
      doctorFixes.with(
        defineDoctorFix({
          name: 'example.note',
          title: 'Note the target',
          target: { form: 'a word', pattern: /^[a-z]+$/ },
          uses: {},
          async apply(_services, target) {
            fixed = target
            return true
          },
        }),
      ),
    ],
  })
  await using svc = await testKernel({ plugins: [plugin] })
  const running = svc.kernel.get(doctor)
  expect(running.checks().map(({ name }) => name)).toEqual([
    'kernel.configuration',
    'kernel.permissions',
    'kernel.directories',
    'kernel.dashboard',
    'kernel.database',
    'kernel.database-server',
    'kernel.migrations',
    'kernel.task-counts',
    'example.nothing',
  ])
  for (const name of ['kernel.configuration', 'kernel.permissions', 'kernel.database', 'kernel.migrations', 'kernel.task-counts']) {
    expect(await running.look(name, {}), name).toMatchObject({ findings: [] })
  }
  expect(await running.look('example.nothing', {})).toMatchObject({ compared: 7 })
  expect(await running.fix('example.note', 'here')).toBe(true)
  for (const target of ['', 'not a word', 'word\n', 'here\0']) {
    const message = 'the target of example.note is a word'
    await expect(running.fix('example.note', target)).rejects.toMatchObject({ code: 'doctor_fix_target_invalid', status: 400, message })
  }
  await expect(running.fix('kernel.file-mode', '/etc/passwd')).rejects.toMatchObject({ code: 'doctor_fix_target_invalid' })
  expect(fixed).toBe('here')
})
