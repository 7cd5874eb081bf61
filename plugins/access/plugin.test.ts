import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adminAuth } from '#kernel/system'
import { createFakeClock, describeOnEngines, testKernel, testOperator } from '#kernel/testing'
import { AuditKeeper, linesWaitingMax } from './audit/audit-keeper.ts'
import { addLine, endsOf, type LineFilter, pageOfLines, removeLines } from './audit/audit-store.ts'
import { describeLine } from './audit/describe-line-policy.ts'
import { auditLimits } from './audit/forget-audit-task.ts'
import { accessMigrations } from './migrations.ts'
import { accessPlugin } from './plugin.ts'

const plugins = [accessPlugin]

async function signIn(url: string, password: string = testOperator.password) {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: testOperator.username, password }),
  })
  const { csrf_token } = (await answer.json()) as { readonly csrf_token?: string }
  return { cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '', 'x-svc-csrf': csrf_token ?? '' }
}

test('sessions are listed and ended, and an ended one stays ended after a restart', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-access-'))
  let mine: Record<string, string>
  let other: Record<string, string>
  {
    await using svc = await testKernel({ plugins, dir })
    mine = await signIn(svc.url)
    other = await signIn(svc.url)
    await svc.fetch('/api/v1/auth/session', { headers: other })
    const listed = await svc.fetch('/api/v1/auth/sessions', { headers: mine }).then((answer) => answer.json())
    const { sessions } = listed as { readonly sessions: readonly { readonly id: string; readonly current: boolean }[] }
    expect(sessions).toEqual([
      expect.objectContaining({ username: 'admin', role: 'admin', how: 'password', client: '127.0.0.1', current: true }),
      expect.objectContaining({ current: false }),
    ])
    expect(JSON.stringify(listed)).not.toContain(mine['x-svc-csrf'])
    const end = (id: string) => svc.fetch(`/api/v1/auth/sessions/${id}`, { method: 'DELETE', headers: mine })
    expect((await end(sessions[1]?.id ?? '')).status).toBe(204)
    expect((await end('nothing')).status).toBe(404)
    expect((await svc.fetch('/api/v1/auth/session', { headers: other })).status).toBe(401)
  }
  await using svc = await testKernel({ plugins, dir })
  expect((await svc.fetch('/api/v1/auth/session', { headers: other })).status).toBe(401)
  expect((await svc.fetch('/api/v1/auth/session', { headers: mine })).status).toBe(200)
  rmSync(dir, { recursive: true, force: true })
})

test('I-35: the table has each sign-in, refusal and change, and filters find them', async () => {
  await using svc = await testKernel({ plugins })
  const session = await signIn(svc.url)
  await signIn(svc.url, 'a wrong password')
  await svc.fetch('/api/v1/auth/sessions/nothing', { method: 'DELETE', headers: session })
  await svc.fetch('/api/v1/auth/sessions/nothing', { method: 'DELETE', headers: { cookie: session.cookie } })
  const lines = async (query = '') => {
    const { body } = await svc.call('GET', `/api/v1/audit${query}`)
    return (body.lines as readonly Record<string, unknown>[]).map(({ what, outcome, who, status }) => [what, outcome, who, status])
  }
  // The first call signs in by HTTP Basic.
  expect(await lines()).toEqual([
    ['sign_in', 'done', 'admin', undefined],
    ['refusal', 'refused', 'admin', undefined],
    ['change', 'refused', 'admin', 404],
    ['sign_in', 'refused', 'admin', undefined],
    ['sign_in', 'done', 'admin', undefined],
  ])
  expect(await lines('?what=change')).toEqual([['change', 'refused', 'admin', 404]])
  expect(await lines('?outcome=refused&what=sign_in')).toEqual([['sign_in', 'refused', 'admin', undefined]])
  expect(await lines('?who=nobody')).toEqual([])
  expect(await lines('?route=/api/v1/auth/sessions/:id&what=change')).toHaveLength(1)
  expect(await lines('?to=2020-01-01T00:00:00Z')).toEqual([])
  expect((await svc.call('GET', '/api/v1/audit?from=yesterday')).status).toBe(400)
  const { body } = await svc.call('GET', '/api/v1/audit')
  expect(JSON.stringify(body)).not.toContain('wrong password')
})

test('the list is paged by cursor without gaps', async () => {
  await using svc = await testKernel({ plugins })
  for (let count = 0; count < 5; count += 1) await signIn(svc.url)
  const ids: number[] = []
  for (let cursor = ''; ; ) {
    const { body } = await svc.call('GET', `/api/v1/audit?limit=2${cursor}`)
    ids.push(...body.lines.map(({ id }: { readonly id: number }) => id))
    if (body.next_cursor === undefined) break
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(ids).toEqual([...ids].sort((a, b) => b - a))
  expect(ids).toHaveLength(6)
})

test('an external session of a plugin that was disabled is invalid', async () => {
  await using svc = await testKernel({ plugins })
  const { token } = svc.kernel.get(adminAuth).sessions.beginExternal({ username: 'oidc:a', role: 'admin', realm: 'gone', maxMs: 60_000 })
  expect((await svc.fetch('/api/v1/audit', { headers: { cookie: `svc_admin_session=${token}` } })).status).toBe(401)
})

test('audit lines that the database does not take are counted, bounded, and later lines are written', async () => {
  const warnings: unknown[] = []
  const written: number[] = []
  const gate = Promise.withResolvers<void>()
  let isBroken = true
  const keeper = new AuditKeeper({
    clock: createFakeClock(),
    log: { warn: (_message, fields) => void warnings.push(fields?.lines) },
    database: {
      async write(job) {
        await gate.promise
        if (isBroken) throw new Error('the disk is full')
        let lines = 0
        const result = await job({ run: async () => ++lines } as never)
        written.push(lines)
        return result
      },
    },
  })
  const line = { what: 'sign-in', fields: { outcome: 'accepted', how: 'form', by: 'admin', client: '::1' } } as const
  for (let count = 0; count < linesWaitingMax + 11; count += 1) keeper.add(line)
  gate.resolve()
  await keeper.settled()
  expect(warnings.reduce<number>((sum, lines) => sum + Number(lines), 0)).toBe(linesWaitingMax + 11)
  isBroken = false
  keeper.add(line)
  await keeper.settled()
  expect(written).toEqual([1])
})

test('a line that is added while the last ones end is written without another one', async () => {
  // The end of a write takes some turns of promises: each is tried.
  for (let turns = 0; turns < 12; turns += 1) {
    let written = 0
    const database = { write: (job: (tx: never) => unknown) => Promise.resolve(job({ run: async () => ++written } as never)) as never }
    const keeper = new AuditKeeper({ clock: createFakeClock(), log: { warn() {} }, database })
    const line = { what: 'sign-in', fields: { outcome: 'accepted', how: 'form', by: 'admin', client: '::1' } } as const
    keeper.add(line)
    for (let turn = 0; turn < turns; turn += 1) await undefined
    keeper.add(line)
    await keeper.settled()
    expect([turns, written]).toEqual([turns, 2])
  }
})

await describeOnEngines('the audit table', ({ open }) => {
  const all: LineFilter = { fromMs: 0, toMs: 100, before: 1000, limit: 100 }
  const opened = async () => {
    const database = await open([{ name: 'access', migrations: accessMigrations }])
    return {
      database,
      times: async () => (await pageOfLines(database.read, all)).map(({ at }) => at),
      async remove(beforeMs: number, kept: Parameters<typeof endsOf>[1], limit: number = auditLimits.batch) {
        const ends = await endsOf(database.read, kept)
        return database.write((tx) => removeLines(tx, { ...ends, beforeMs, limit }))
      },
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }

  test('old lines and lines beyond the limit are removed in bounded steps', async () => {
    await using table = await opened()
    const line = describeLine({ what: 'sign-in', fields: { outcome: 'accepted', how: 'form', by: 'admin', client: '::1' } })
    await table.database.write(async (tx) => {
      for (let at = 1; at <= 10; at += 1) await addLine(tx, at, line)
    })
    expect(await table.remove(4, { linesMax: 100, ofStrangersMax: 0 }, 2)).toBe(2)
    expect(await table.times()).toEqual([10, 9, 8, 7, 6, 5, 4, 3])
    expect(await table.remove(4, { linesMax: 5, ofStrangersMax: 0 })).toBe(3)
    expect(await table.times()).toEqual([10, 9, 8, 7, 6])
    expect(await table.remove(4, { linesMax: 5, ofStrangersMax: 0 })).toBe(0)
  })

  test('lines that anybody can cause push out only each other, also with the name of an operator, and ids with gaps are no lines', async () => {
    await using table = await opened()
    const line = (outcome: string, by?: string) => describeLine({ what: 'sign-in', fields: { outcome, how: 'form', by, client: '::1' } })
    await table.database.write(async (tx) => {
      await addLine(tx, 1, line('accepted', 'admin'))
      await addLine(tx, 2, line('accepted', 'admin'))
      for (let at = 3; at <= 9; at += 1) await addLine(tx, at, line('refused', at % 2 === 0 ? 'admin' : undefined))
      await addLine(tx, 10, line('accepted', 'admin'))
    })
    const kept = (linesMax: number) => ({ linesMax, ofStrangersMax: 2 })
    expect(await table.remove(0, kept(3))).toBe(5)
    expect(await table.times()).toEqual([10, 9, 8, 2, 1])
    expect(await table.remove(0, kept(3))).toBe(0)
    expect(await table.remove(0, kept(2))).toBe(1)
    expect(await table.times()).toEqual([10, 9, 8, 2])
  })
})
