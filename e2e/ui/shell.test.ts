import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DevProcess, startDev } from '../fixtures/gateways/dev-process.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findFlaws, widths } from './fixtures/inspect.ts'

let svc: DevProcess
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const bucketCount = async (page: Page) => {
  const card = page
    .locator('#main')
    .getByRole('link', { name: /^Objects/ })
    .first()
  return Number(/in (\d+) buckets?/.exec(await card.innerText())?.[1])
}
const createBucket = (name: string) => svc.call('POST', '/api/v1/buckets', { json: { name, owner_access_key: '__internal_root__' } })

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await startDev()
})
afterAll(() => svc?.[Symbol.asyncDispose]())

describe.runIf(hasBrowser)('the dashboard', () => {
  test('a wrong password is refused in words, the right one opens the page that was asked for', async () => {
    await using watched = await openPage()
    const { page } = watched
    await page.goto(`${svc.ready.base_url}/?from=mail`)
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('The user name or the password is wrong.').waitFor()
    expect(await page.context().cookies()).toEqual([])
    await page.getByLabel('Password').fill(svc.ready.admin.password)
    await page.keyboard.press('Enter')
    await heading(page, 'Overview').waitFor()
    expect(page.url()).toBe(`${svc.ready.base_url}/?from=mail`)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ name: 'svc_admin_session', httpOnly: true, expires: -1 })
  })

  test('a proxy that answers in place of the service is no end: the page continues by itself', async () => {
    await using watched = await openPage()
    const { page } = watched
    let answered = 0
    await page.route('**/api/v1/**', (route) => {
      answered += 1
      return route.fulfill({ contentType: 'text/html', body: '<html>Starting</html>' })
    })
    await page.goto(svc.ready.base_url)
    await page.getByText('The service cannot be reached').waitFor()
    const first = answered
    await expect.poll(() => answered).toBeGreaterThan(first)
    await page.getByRole('button', { name: 'Try again now' }).click()
    await page.unroute('**/api/v1/**')
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  })

  test('a device that is remembered stays signed in for 30 days', async () => {
    await using watched = await openPage()
    const { page } = watched
    await page.goto(svc.ready.base_url)
    await page.getByLabel('Password').fill(svc.ready.admin.password)
    await page.getByLabel('Keep me signed in').check()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'Overview').waitFor()
    const days = ((await page.context().cookies())[0]?.expires ?? 0) / 86_400 - Date.now() / 86_400_000
    expect(Math.round(days)).toBe(30)
  })

  test('a session that ends asks for the password above the page, which keeps its state', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready)
    await heading(page, 'Overview').waitFor()
    await page.evaluate('document.getElementById("main").firstElementChild.dataset.kept = "yes"')
    await page.context().clearCookies()
    await page.keyboard.press('r')
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Password').fill(svc.ready.admin.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor({ state: 'hidden' })
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.locator('[data-kept="yes"]').count()).toBe(1)
    expect(await page.evaluate('fetch("/api/v1/overview").then(({ status }) => status)')).toBe(200)
  })

  test('only what a person does renews the session, once it is due; a sign-out ends it', async () => {
    await using watched = await openPage()
    const { page } = watched
    const renewals: string[] = []
    page.on('request', (request) => request.url().endsWith('/auth/refresh') && renewals.push(request.method()))
    await page.route('**/api/v1/auth/session', async (route) => {
      const answer = await route.fetch()
      if (answer.status() !== 200) return route.fulfill({ response: answer })
      return route.fulfill({ response: answer, json: { ...(await answer.json()), refresh_after: '2020-01-01T00:00:00Z' } })
    })
    await signIn(page, svc.ready)
    await page.reload()
    await heading(page, 'Overview').waitFor()
    await page.evaluate('document.body.click(); document.dispatchEvent(new KeyboardEvent("keydown", { key: "x", bubbles: true }))')
    expect(await page.evaluate('fetch("/healthz").then(({ ok }) => ok)')).toBe(true)
    expect(renewals).toEqual([])
    const renewed = page.waitForResponse('**/api/v1/auth/refresh')
    await heading(page, 'Overview').click()
    expect((await renewed).status()).toBe(200)
    await heading(page, 'Overview').click()
    expect(renewals).toEqual(['POST'])
    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  test('a change elsewhere appears without a reload, and a hidden tab closes its stream', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready)
    await page.getByText('Live', { exact: true }).waitFor()
    const before = await bucketCount(page)
    expect((await createBucket('seen-by-the-dashboard')).status).toBe(201)
    await expect.poll(() => bucketCount(page)).toBe(before + 1)
    const hide = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await hide('hidden')
    await page.getByText('Polling', { exact: true }).waitFor()
    await createBucket('made-while-hidden')
    await hide('visible')
    await page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(() => bucketCount(page)).toBe(before + 2)
  })

  test('the palette obeys typing and Enter at the speed of a machine, and no key acts while a field has the focus', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready)
    await heading(page, 'Overview').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('theme: light')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.documentElement.className')).toBe('')
    expect(await page.locator('#palette').isVisible()).toBe(false)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('[?')
    expect(await page.locator('#palette-input').inputValue()).toBe('[?')
    await page.keyboard.press('Escape')
    await page.locator('#palette').waitFor({ state: 'hidden' })
    expect(await page.getByRole('heading', { name: 'Keyboard shortcuts' }).isVisible()).toBe(false)
    await page.keyboard.press('[')
    await page.getByRole('button', { name: 'Unfold the menu' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' })
    await page.goto(`${svc.ready.base_url}/nowhere`)
    await heading(page, 'Page not found').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await heading(page, 'Overview').waitFor()
  })

  test('a page that throws says so, and the menu leads on', async () => {
    await using watched = await openPage()
    const { page } = watched
    await page.route('**/api/v1/overview', (route) => route.fulfill({ json: {} }))
    await signIn(page, svc.ready)
    await page.getByText('This page stopped working').waitFor()
    await page.unroute('**/api/v1/overview')
    await page.goto(`${svc.ready.base_url}/nowhere`)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
    await heading(page, 'Overview').waitFor()
    await page.getByText('All objects have their copies').or(page.getByText('No objects yet')).first().waitFor()
  })

  test('an overview that cannot be read has a message and a button in place of grey blocks; a bucket too', async () => {
    await using watched = await openPage()
    const { page } = watched
    let isBroken = true
    const fail = (url: string) =>
      page.route(url, (route) =>
        isBroken ? route.fulfill({ status: 500, json: { error: 'The disk is gone.', code: 'internal' } }) : route.continue(),
      )
    await createBucket('unreadable')
    await fail('**/api/v1/overview')
    await fail('**/api/v1/buckets/unreadable')
    await signIn(page, svc.ready)
    await page.getByText('The overview cannot be read').waitFor()
    expect(await page.locator('#main .kit-pulse').count()).toBe(0)
    await page.goto(`${svc.ready.base_url}/buckets/unreadable`)
    await page.getByText('The bucket cannot be read').waitFor()
    isBroken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'unreadable').waitFor()
    await page.getByRole('link', { name: 'Trash' }).waitFor()
    expect(await page.getByText('The bucket cannot be read').count()).toBe(0)
  })

  test('keys that lead to pages work while a check box has the focus', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready)
    await heading(page, 'Overview').waitFor()
    await page.evaluate(
      `(() => { const box = document.createElement('input'); box.type = 'checkbox'; document.querySelector('#main').append(box); box.focus() })()`,
    )
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await heading(page, 'Tasks').waitFor()
  })

  test('the first view loads 25 scripts and 60 KiB at most, and one answer for all its cards', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready)
    await page.getByText('Live', { exact: true }).waitFor()
    const scripts: [path: string, bytes: Promise<number>][] = []
    let overviews = 0
    page.on('response', (response) => {
      if (response.url().endsWith('/api/v1/overview')) overviews += 1
      const path = new URL(response.url()).pathname
      if (path.endsWith('.js')) scripts.push([path, response.headerValue('content-length').then(Number)])
    })
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('Reserved for writes').waitFor()
    // The pictures of the overview load when they come into view.
    const named = new Set(
      await page
        .locator('script[src], link[rel="modulepreload"]')
        .evaluateAll((all) => all.map((element) => element.getAttribute('src') ?? element.getAttribute('href'))),
    )
    const sizes = await Promise.all(scripts.filter(([path]) => named.has(path)).map(([, bytes]) => bytes))
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes.length).toBeLessThanOrEqual(25)
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(60 * 1024)
    expect(overviews).toBe(1)
  })

  test('the first view is drawn by the scripts that the page names alone; those of other pages are loaded when they are opened', async () => {
    await using watched = await openPage()
    const { page } = watched
    const { text } = await svc.call('GET', '/', { as: 'anonymous' })
    const named = new Set([...text.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(([, path]) => path))
    let isOverview = true
    const more: string[] = []
    await page.route('**/*.js', (route) => {
      const { pathname } = new URL(route.request().url())
      if (named.has(pathname)) return route.continue()
      more.push(pathname)
      // Everything but the pictures must be there without them.
      return isOverview ? undefined : route.continue()
    })
    const session = await page.request.post(`${svc.ready.base_url}/api/v1/auth/login`, { data: svc.ready.admin })
    expect(session.status()).toBe(200)
    // Not until it is loaded: the scripts that are held belong to it.
    await page.goto(svc.ready.base_url, { waitUntil: 'commit' })
    await heading(page, 'Overview').waitFor()
    await expect.poll(() => bucketCount(page)).toBeGreaterThanOrEqual(0)
    expect(await page.getByText('Reserved for writes').count()).toBe(0)
    isOverview = false
    await page.goto(svc.ready.base_url)
    await page.getByText('Reserved for writes').waitFor()
    const before = more.length
    // A small page may share its scripts with the overview: the build joins small ones.
    for (const name of ['Tasks', 'Settings', 'Doctor']) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
      await heading(page, name).waitFor()
    }
    expect(more.length).toBeGreaterThan(before)
  })

  test('no inline script or style, and nothing of another origin, is in the page', async () => {
    const { headers, text } = await svc.call('GET', '/buckets/any/thing', { as: 'anonymous' })
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' })
    expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'")
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(text).not.toMatch(/<script(?![^>]*src="\/)|<style|\sstyle=|https?:\/\/(?!www\.w3\.org)/)
  })

  test.each(widths)(
    'every page without parameters is accessible in both themes at %i px',
    async (width) => {
      const parts = JSON.parse(readFileSync(new URL('../../ui/dist/plugins.json', import.meta.url), 'utf8')) as readonly {
        readonly pages?: readonly { readonly path: string }[]
      }[]
      const paths = parts.flatMap(({ pages = [] }) => pages.map(({ path }) => path)).filter((path) => !path.includes(':'))
      await using watched = await openPage({ width })
      const { page } = watched
      await page.goto(svc.ready.base_url)
      await page.getByLabel('Password').waitFor()
      expect(await findFlaws(page, 'sign-in')).toEqual([])
      await signIn(page, svc.ready)
      for (const path of [...paths, '/nowhere']) {
        await page.goto(`${svc.ready.base_url}${path}`)
        await page.getByText('Live', { exact: true }).waitFor()
        await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
        await page.locator('.kit-pulse').first().waitFor({ state: 'detached' })
        expect([path, await findFlaws(page, path.slice(1).replaceAll('/', '-') || 'overview')]).toEqual([path, []])
      }
    },
    240_000,
  )
})
