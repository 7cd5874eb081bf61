import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { benchPutGet } from './put-get.ts'

const scale = { rounds: 1, smallPuts: 100, smallGets: 200, smallObjects: 10, largeBytes: 2 * 1024 ** 2, largePuts: 1, largeGets: 4 }

const benchMs = 240_000

test('every PUT and GET load is measured at the gateway and at a bare server', { timeout: benchMs }, async () => {
  const { rows } = await benchPutGet({ scale })
  expect(rows.map(({ label }) => label)).toEqual([
    'GET 4 KiB, 32 connections: Fastify, a buffer',
    'GET 4 KiB, 32 connections: gateway',
    'HEAD 4 KiB, 32 connections: Fastify, a buffer',
    'HEAD 4 KiB, 32 connections: gateway',
    'GET 2 MiB, 1 stream: node:http, file stream',
    'GET 2 MiB, 1 stream: gateway',
    'GET 2 MiB, 16 streams: node:http, file stream',
    'GET 2 MiB, 16 streams: gateway',
    'GET 256 KiB of 2 MiB, 4 streams: node:http, file stream',
    'GET 256 KiB of 2 MiB, 4 streams: gateway',
    'GET 4 KiB of 2 MiB, 32 connections: node:http, file stream',
    'GET 4 KiB of 2 MiB, 32 connections: gateway',
    'PUT 2 MiB, 1 stream: node:http, file stream',
    'PUT 2 MiB, 1 stream: gateway',
    'PUT 2 MiB, 4 streams: node:http, file stream',
    'PUT 2 MiB, 4 streams: gateway',
    'PUT 2 MiB, 16 streams: node:http, file stream',
    'PUT 2 MiB, 16 streams: gateway',
    'PUT 2 MiB in signed chunks, 16 streams: node:http, file stream',
    'PUT 2 MiB in signed chunks, 16 streams: gateway',
    'PUT 4 KiB, 32 connections: Fastify, file and fsync',
    'PUT 4 KiB, 32 connections: gateway',
    'resident memory under these loads: gateway',
  ])
  for (const { value } of rows) expect(value).toBeGreaterThan(0)
  const compared = rows.filter(
    ({ label }) => label.includes(' connections: ga') || label.includes(' streams: ga') || label.includes(' stream: ga'),
  )
  expect(compared).toHaveLength(11)
  for (const { figures } of compared) {
    expect(figures?.ratio).toBeGreaterThan(0)
    expect(figures?.peakMiB).toBeGreaterThan(0)
  }
  const peaks = compared.map(({ figures }) => Number(figures?.peakMiB))
  // Filling the gateway counts too.
  expect(rows.at(-1)?.value).toBeGreaterThanOrEqual(Math.max(...peaks))
})

test('the gateway of another checkout takes part in each round, and the ratios to it are shown', { timeout: benchMs }, async () => {
  const { rows } = await benchPutGet({ scale, only: '32 connections', before: fileURLToPath(new URL('..', import.meta.url)) })
  expect(rows.map(({ label }) => label).filter((label) => label.startsWith('GET 4 KiB,'))).toEqual([
    'GET 4 KiB, 32 connections: Fastify, a buffer',
    'GET 4 KiB, 32 connections: gateway before',
    'GET 4 KiB, 32 connections: gateway',
  ])
  const compared = rows.filter(({ note }) => note?.includes('× before'))
  expect(compared.map(({ label }) => label)).toEqual(
    rows.map(({ label }) => label).filter((label) => label.endsWith(': gateway') && !label.startsWith('resident memory')),
  )
})
