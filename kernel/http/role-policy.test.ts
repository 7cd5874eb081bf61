import { expect, test } from 'vitest'
import { highestRole, mayAct, neededRole, type Role } from './role-policy.ts'

const all: readonly Role[] = ['read-only', 'operator', 'admin']

test('each role may do what the lower ones may, and no more', () => {
  expect(all.map((held) => all.filter((needed) => mayAct(held, needed)))).toEqual([
    ['read-only'],
    ['read-only', 'operator'],
    ['read-only', 'operator', 'admin'],
  ])
})

test('of several roles the highest counts', () => {
  expect([highestRole(['read-only', 'admin', 'operator']), highestRole(['operator', 'read-only']), highestRole([])]).toEqual([
    'admin',
    'operator',
    undefined,
  ])
})

test('a change without a declared role is for the admin, a read is for everyone who is signed in', () => {
  expect([neededRole(undefined, true), neededRole(undefined, false), neededRole('operator', true), neededRole('admin', false)]).toEqual([
    'admin',
    'read-only',
    'operator',
    'admin',
  ])
})
