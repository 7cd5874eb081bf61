import { defineEntity, p } from '@mikro-orm/core'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bindParams, compileStatement } from './compile-statement.ts'
import { type Dialect, type Params, sqlStatement, statementsOver, type TablesOf } from './statement.ts'

const itemEntity = defineEntity({
  name: 'Item',
  tableName: 'items',
  properties: { id: p.integer().primary().autoincrement(), state: p.text().$type<'open' | 'closed'>(), at: p.bigint('number').nullable() },
})
const statement = statementsOver<TablesOf<typeof itemEntity>>()

const compiled = (source: Parameters<typeof compileStatement>[0], dialect: Dialect) => {
  const { sql: text, params } = compileStatement(source, dialect)
  return [text, ...params.map(({ name }) => name)]
}

test('constants become literals, because an index for some rows applies only to literals', () => {
  const find = statement((db, { at }: Params<{ at: number }>) =>
    db.selectFrom('items').select(['id', 'at as atMs']).where('state', '=', 'open').where('at', '<', at).limit(2),
  )
  expect(compiled(find, 'sqlite')).toEqual([`select "id", "at" as "atMs" from "items" where "state" = 'open' and "at" < ? limit 2`, 'at'])
  expect(compiled(find, 'postgres')[0]).toContain('"at" < $1 limit 2')
})

test('a quote in a constant stays inside the literal', () => {
  const find = statement((db) => db.selectFrom('items').select(sql<string>`${"it's"}`.as('text')))
  expect(compiled(find, 'sqlite')).toEqual([`select 'it''s' as "text" from "items"`])
})

test('a list of any length is one text', () => {
  const find = statement((db, { ids, states }: Params<{ ids: readonly number[]; states: readonly ('open' | 'closed')[] }>) =>
    db.selectFrom('items').select('id').where('id', 'in', ids).where('state', 'not in', states),
  )
  const where = 'select "id" from "items" where "id"'
  expect(compiled(find, 'sqlite')).toEqual([
    `${where} in (select value from json_each(?)) and "state" not in (select value from json_each(?))`,
    'ids',
    'states',
  ])
  expect(compiled(find, 'postgres')[0]).toBe(`${where} = any($1) and "state" <> all($2)`)
})

test('a limit that is a parameter is an expression for SQLite, which does not plan with its value', () => {
  const find = statement((db, { limit }: Params<{ limit: number }>) => db.selectFrom('items').select('id').limit(limit))
  expect(compiled(find, 'sqlite')).toEqual(['select "id" from "items" limit +?', 'limit'])
  expect(compiled(find, 'postgres')).toEqual(['select "id" from "items" limit $1', 'limit'])
  const byHand = sqlStatement<{ limit: number }>("select 'limit :limit' from items limit :limit")
  expect(compiled(byHand, 'sqlite')).toEqual(["select 'limit :limit' from items limit +?", 'limit'])
  expect(compiled(byHand, 'postgres')).toEqual(["select 'limit :limit' from items limit $1", 'limit'])
})

test('row locks are taken where the engine has them', () => {
  const claim = statement((db) => db.selectFrom('items').select('id').distinct().limit(1).forUpdate().skipLocked())
  expect(compiled(claim, 'sqlite')[0]?.trim()).toBe('select distinct "id" from "items" limit 1')
  expect(compiled(claim, 'postgres')[0]).toBe('select distinct "id" from "items" limit 1 for update skip locked')
  const byHand = sqlStatement('select id from items for update skip locked')
  expect(compiled(byHand, 'sqlite')[0]?.trim()).toBe('select id from items')
})

describe('a statement written by hand', () => {
  const byHand = sqlStatement<{ id: number; ids: readonly number[] }>(
    `select ':id', ":id", at::text from items where id = :id or id in :ids or id not in :ids -- :id`,
  )

  test('has a placeholder for each parameter, and none in literals, names, casts and comments', () => {
    expect(compiled(byHand, 'sqlite')).toEqual([
      `select ':id', ":id", at::text from items where id = ? or id in (select value from json_each(?)) or id not in (select value from json_each(?)) -- :id`,
      'id',
      'ids',
      'ids',
    ])
    expect(compiled(byHand, 'postgres')[0]).toContain('where id = $1 or id = any($2) or id <> all($3) -- :id')
  })

  test('may have a text for each engine', () => {
    const both = sqlStatement({ sqlite: 'select 1', postgres: 'select 2' })
    expect([compiled(both, 'sqlite'), compiled(both, 'postgres')]).toEqual([['select 1'], ['select 2']])
  })
})

test('a missing parameter and a list in the wrong place are refused by name', () => {
  const find = compileStatement(
    statement((db, { id, ids }: Params<{ id: number; ids: readonly number[] }>) =>
      db.selectFrom('items').select('id').where('id', '=', id).where('id', 'in', ids),
    ),
    'sqlite',
  )
  expect(bindParams(find, { id: 1, ids: [1, 2] }, 'sqlite')).toEqual([1, '[1,2]'])
  expect(bindParams(find, { id: 1, ids: [1, 2] }, 'postgres')).toEqual([1, [1, 2]])
  expect(() => bindParams(find, { ids: [] }, 'sqlite')).toThrow("the parameter 'id' is missing")
  expect(() => bindParams(find, { id: [1], ids: [] }, 'sqlite')).toThrow("the parameter 'id' is a list")
  expect(() => bindParams(find, { id: 1, ids: 1 }, 'sqlite')).toThrow("the parameter 'ids' must be a list")
})
