/** The dashboard before the sign-in, and when it ends, in a real browser; no chain is needed. */
import type { Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'

const stack = new AsyncDisposableStack()
let full: Gateway
let setup: Gateway
beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  full = stack.use(await startServeHere())
  setup = stack.use(await startServeHere({ settings: { 'chain.private_key': '' } }))
})
afterAll(() => stack.disposeAsync())

const ready = ({ adminUrl }: Gateway) => ({ base_url: adminUrl, admin: testOperator })
const isData = (response: Response) => new URL(response.url()).pathname.startsWith('/api/')

describe.runIf(hasBrowser)('the dashboard on the Admin listener', () => {
  test.each(['full', 'setup'] as const)(
    'in %s mode the page and its files load before the sign-in, from this listener alone, and may be kept',
    async (mode) => {
      const { adminUrl } = { full, setup }[mode]
      await using watched = await openPage()
      const { page } = watched
      const responses: Response[] = []
      page.on('response', (response) => void responses.push(response))
      await page.goto(adminUrl)
      await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
      expect(await page.context().cookies()).toEqual([])
      const files = responses.filter((response) => !isData(response) && !response.url().endsWith('/healthz'))
      for (const type of ['document', 'script', 'stylesheet']) {
        expect([type, files.some((file) => file.request().resourceType() === type)]).toEqual([type, true])
      }
      for (const file of files) {
        expect([file.url(), file.status(), file.headers()['cache-control']]).toEqual([
          expect.stringMatching(`^${adminUrl}/`),
          200,
          expect.not.stringContaining('no-store'),
        ])
      }
      for (const data of responses.filter(isData)) {
        // Which ways to sign in there are is for everyone.
        const status = data.url().endsWith('/auth/methods') ? 200 : 401
        expect([data.url(), data.status(), data.headers()['cache-control']]).toEqual([data.url(), status, 'no-store'])
      }
    },
  )

  test('after a sign-out the sign-in page is shown, at every address and after a reload', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, ready(full), '/buckets')
    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const path of ['/', '/buckets']) {
      await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
      expect(await page.locator('#main').count()).toBe(0)
      await page.goto(`${full.adminUrl}${path}`)
    }
  })

  test('after a 401 of any request the sign-in is in front of the page, which takes no input, and a reload has it alone', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, ready(full), '/buckets')
    await page.getByRole('heading', { name: 'Buckets', level: 1 }).waitFor()
    await page.context().clearCookies()
    const refused = page.waitForResponse((response) => isData(response) && response.status() === 401)
    await page.keyboard.press('r')
    await refused
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    expect(
      await page.evaluate('document.elementFromPoint(5, 5).closest("dialog, #main, nav") === document.querySelector("dialog:modal")'),
    ).toBe(true)
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    expect(await page.locator('#main').count()).toBe(0)
  })
})
