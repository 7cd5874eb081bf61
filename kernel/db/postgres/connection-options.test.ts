import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConnectionOptions } from './connection-options.ts'

const given = (query: string) => readConnectionOptions(`postgres://svc:feedface@db/svc?${query}`).given

function file(content: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-certificate-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'file.pem'), content)
  return join(dir, 'file.pem')
}

test.each([
  ['postgres://svc@db/svc', {}],
  ['postgres://svc@127.0.0.1/svc?host=db', {}],
  ['postgres://svc@127.0.0.1/svc', false],
  ['postgres://svc@[::1]:5433/svc', false],
  ['postgres://svc@%2Frun%2Fpostgresql/svc', false],
  ['postgres://svc@db/svc?host=%2Frun%2Fpostgresql', false],
] as const)('without sslmode %s verifies the certificate of another host, and this machine needs none', (dsn, ssl) => {
  const options = readConnectionOptions(dsn)
  expect(options).toMatchObject({ clientUrl: dsn.replace(/\?.*/, ''), given: { ssl }, verifiesByDefault: ssl !== false })
  expect(options.warning).toBeUndefined()
})

test('a plain connection to another host is a warning', () => {
  expect(readConnectionOptions('postgres://svc@db/svc?sslmode=disable').warning?.problem).toMatch('is not encrypted')
  expect(readConnectionOptions('postgres://svc@127.0.0.1/svc?sslmode=disable').warning).toBeUndefined()
})

test('parameters have the meaning that they have for psql', () => {
  expect(given('password=a+b%26c&user=other&host=%2Frun%2Fpg&port=5433')).toEqual({
    password: 'a+b&c',
    user: 'other',
    host: '/run/pg',
    port: 5433,
    ssl: false,
  })
  expect(given('application_name=x&options=-c%20work_mem%3D8MB')).toMatchObject({ application_name: 'x', options: '-c work_mem=8MB' })
})

test('sslmode decides whether the connection is encrypted and what of the certificate is verified', () => {
  const ca = file('the authority')
  expect(given('sslmode=disable')).toEqual({ ssl: false })
  expect(given('sslmode=require')).toEqual({ ssl: { rejectUnauthorized: false } })
  expect(given('sslmode=verify-full')).toEqual({ ssl: {} })
  expect(given(`sslmode=verify-full&sslrootcert=${ca}&sslcert=${ca}&sslkey=${ca}`)).toEqual({
    ssl: { ca: 'the authority', cert: 'the authority', key: 'the authority' },
  })
  const verifyCa = { ssl: { ca: 'the authority', checkServerIdentity: expect.any(Function) } }
  expect(given(`sslmode=verify-ca&sslrootcert=${ca}`)).toEqual(verifyCa)
  expect(given(`sslmode=require&sslrootcert=${ca}`)).toEqual(verifyCa)
})

test.each([
  ['schema=other', "its parameter 'schema' is not supported, only application_name, host"],
  ['sslmode=prefer', 'sslmode=prefer is not supported, only disable, require, verify-ca and verify-full'],
  ['sslmode=disable&sslmode=require', "its parameter 'sslmode' is given twice"],
  ['sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
  ['sslrootcert=/nowhere', 'the file of sslrootcert cannot be read'],
  [`sslcert=${import.meta.filename}`, 'it has a certificate but no sslmode'],
  ['port=http', "its parameter 'port' is not a port number"],
  ['user=%zz', 'its parameters are not percent-encoded correctly'],
])('the parameters %s are refused without the password', (query, problem) => {
  expect(() => given(query)).toThrow(`the database postgres://svc@db/svc: ${problem}`)
  expect(() => given(query)).not.toThrow('feedface')
})
