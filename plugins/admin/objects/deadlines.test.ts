import { expect, test } from 'vitest'
import { adminRoutes } from '#kernel'
import { loadContributions } from '#kernel/host'
import { adminPlugin } from '../plugin.ts'

test('special deadlines: one hour for upload and restore, none for download and events, and for checks that of a page', async () => {
  const endpoints = (await loadContributions(adminRoutes, [adminPlugin])).flatMap(({ item }) => item.endpoints ?? [])
  const lasting = endpoints.flatMap(({ method, path, deadlineMs }) =>
    deadlineMs === undefined ? [] : [[`${method} ${path.split('/').slice(-2).join('/')}`, deadlineMs]],
  )
  expect(Object.fromEntries(lasting)).toEqual({
    'POST objects/upload': 3_600_000,
    'POST versions/restore': 3_600_000,
    'GET objects/download': 'none',
    'GET objects/preview': 'none',
    'GET archives/:ticket': 'none',
    // They count all objects of a range.
    'POST :name/archives': 120_000,
    'POST :name/bulk-actions': 120_000,
    'POST bulk-actions/preview': 120_000,
    'GET v1/events': 'none',
    'POST :name/run': 150_000,
    'POST fixes/:name': 150_000,
  })
})
