/** Lists of the dashboard: keys, density, rows of a phone, long ways of folders, and pages that need an observer. No chain is needed. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestKernel, testOperator } from '#kernel/testing'
import { startFilledService, upload } from '../load/filled-service.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findBarriers, findOverflow, takePicture } from './fixtures/inspect.ts'

const rows = 300
const stack = new AsyncDisposableStack()
let svc: TestKernel
const folders = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await startFilledService(rows)
  stack.defer(() => svc.stop())
  await svc.call('POST', '/api/v1/buckets', { name: 'folders', owner_access_key: '__internal_root__' })
  for (const key of ['one.txt', 'three.txt', 'two.txt', `${folders.join('/')}/deep.txt`]) await upload(svc, 'folders', key)
})
afterAll(() => stack.disposeAsync())

const open = (page: Page, path: string, service = svc) => signIn(page, { base_url: service.url, admin: testOperator }, path)
const row = (page: Page, text: string) => page.locator('#main').getByRole('row').filter({ hasText: text })
/** Text of the row that has the focus; undefined when another element has it. */
const focusedRow = (page: Page): Promise<string | undefined> =>
  page.evaluate(
    "document.activeElement.matches('[data-row]') ? document.activeElement.querySelector('[data-row-name]').innerText.trim() : undefined",
  )
const heightOf = async (page: Page, text: string): Promise<number> => (await row(page, text).first().boundingBox())?.height ?? 0

/** Lines of each row: cells are in one line when their middles are at about the same height. */
const countLines = `[...document.querySelectorAll('#main [data-row]')].map((row) => {
  const cells = [...row.querySelectorAll('td:not(:has(input, [popovertarget]))')].filter((cell) => cell.checkVisibility())
  const middles = cells.map((cell) => cell.getBoundingClientRect()).map(({ top, height }) => top + height / 2).sort((a, b) => a - b)
  return middles.filter((middle, at) => at === 0 || middle - middles[at - 1] > 8).length
})`

describe.runIf(hasBrowser)('lists of the dashboard', { timeout: 240_000 }, () => {
  test('rows are moved through, opened and selected by keys, and never while a text is typed', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/folders')
    await row(page, 'two.txt').waitFor()
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
      return focusedRow(page)
    }
    // Arrows scroll the page until a row has the focus.
    expect(await press('ArrowDown')).toBeUndefined()
    expect(await press('j')).toBe('a/')
    expect(await press('j', 'ArrowDown')).toBe('three.txt')
    expect(await press('k')).toBe('one.txt')
    expect(await press('k', 'k', 'k')).toBe('a/')
    expect(await press('j', 'j', 'j', 'j', 'j')).toBe('two.txt')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await press('x')
    await page.getByText('1 row selected').waitFor()
    await press('k', ' ')
    await page.getByText('2 rows selected').waitFor()
    expect(await press('x')).toBe('three.txt')
    await page.getByText('1 row selected').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await press('Enter')
    await page.locator('dialog:modal').getByRole('heading', { name: 'three.txt' }).waitFor()
    // Behind an open sheet the list stays as it is.
    await press('j', 'x')
    await page.keyboard.press('Escape')
    await page.locator('dialog:modal').waitFor({ state: 'hidden' })
    await page.getByText('1 row selected').waitFor()
    await press('/')
    await page.keyboard.type('jkx')
    const search = page.getByRole('searchbox', { name: 'Search by prefix' })
    expect([await search.inputValue(), await focusedRow(page)]).toEqual(['jkx', undefined])
    await search.fill('')
    await search.blur()
    await row(page, 'two.txt').waitFor()
    expect(await focusedRow(page)).toBeUndefined()
    await press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next row of the list').waitFor()
    await page.getByRole('dialog').getByRole('switch', { name: 'Keys without Ctrl' }).click()
    await expect.poll(() => page.evaluate("localStorage.getItem('svc.shortcuts')")).toBe('off')
    await page.keyboard.press('Escape')
    await page.locator('dialog:modal').waitFor({ state: 'hidden' })
    expect(await press('j')).toBeUndefined()
  })

  test('Enter follows the name of a row, also of a folder, and a control in a row keeps its own keys', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/folders')
    await row(page, 'two.txt').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await row(page, 'b/').waitFor()
    expect(new URL(page.url()).searchParams.get('prefix')).toBe('a/')
    await page.goBack()
    await row(page, 'two.txt').waitFor()
    const box = page.getByRole('checkbox', { name: 'Select one.txt' })
    await box.focus()
    await page.keyboard.press(' ')
    await page.getByText('1 row selected').waitFor()
    await page.keyboard.press('j')
    expect(await focusedRow(page)).toBe('three.txt')
    await page.getByRole('button', { name: 'Actions for three.txt' }).focus()
    await page.keyboard.press('Enter')
    const first = page.getByRole('menuitem', { name: 'Details' })
    await first.waitFor()
    await page.keyboard.press('ArrowDown')
    // The arrow belongs to the open menu.
    expect(await focusedRow(page)).toBeUndefined()
  })

  test('keys reach rows of a long list that are not in the document yet', async () => {
    const [bucket] = (await svc.call('GET', '/api/v1/buckets')).body as { name: string }[]
    const many = Array.from({ length: 300 }, (_, at) => ({ ...bucket, name: `bucket-${String(at).padStart(3, '0')}` }))
    await using watched = await openPage()
    const { page } = watched
    await page.route('**/api/v1/buckets', (route) => route.fulfill({ json: many }))
    await open(page, '/buckets')
    await row(page, 'bucket-000').waitFor()
    expect(await row(page, 'bucket-090').count()).toBe(0)
    const places: number[] = []
    for (let at = 0; at <= 90; at++) {
      await page.keyboard.press('j')
      await expect.poll(() => focusedRow(page)).toBe(`bucket-${String(at).padStart(3, '0')}`)
      places.push((await page.evaluate("document.querySelector('#main [role=region]').scrollTop")) as number)
    }
    // Rows that come into the document move nothing. A busy browser may show a step before the rows are drawn, and goes back: two jumps each.
    const twoRows = 2 * (await heightOf(page, 'bucket-090'))
    const jumps = places.slice(1).filter((place, at) => Math.abs(place - Number(places[at])) > twoRows)
    expect(jumps.length, places.join(' ')).toBeLessThanOrEqual(4)
    // A key that is pressed before the next row is drawn is followed when it is.
    await page.evaluate(`(() => {
      window.last = document.activeElement
      window.undrawn = [...document.querySelectorAll('#main [data-row]')].filter((row) => last.compareDocumentPosition(row) & 4)
      for (const row of undrawn) row.remove()
    })()`)
    await page.keyboard.press('j')
    expect(await focusedRow(page)).toBe('bucket-090')
    await page.evaluate('last.after(...undrawn)')
    await expect.poll(() => focusedRow(page)).toBe('bucket-091')
  })

  test('rows are compact by choice, which the browser keeps', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets')
    await row(page, 'folders').waitFor()
    const roomy = await heightOf(page, 'folders')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Compact rows' }).click()
    await expect.poll(() => heightOf(page, 'folders')).toBeLessThan(roomy - 6)
    const compact = await heightOf(page, 'folders')
    await page.reload()
    await row(page, 'folders').waitFor()
    expect(await heightOf(page, 'folders')).toBe(compact)
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Compact rows' }).click()
    await expect.poll(() => heightOf(page, 'folders')).toBe(roomy)
  })

  test.each([
    ['/buckets', 'objects'],
    ['/buckets/objects?prefix=photos/0000/', '.jpg'],
    ['/tasks', '#'],
  ])('on a phone the rows of %s have two lines, nothing scrolls sideways', async (path, text) => {
    await using watched = await openPage({ width: 390 })
    const { page } = watched
    await open(page, path)
    await row(page, text).first().waitFor()
    const heights = (await page.evaluate(
      "[...document.querySelectorAll('#main [data-row]')].map((row) => row.getBoundingClientRect().height)",
    )) as number[]
    expect(heights.length).toBeGreaterThan(2)
    expect(Math.max(...heights)).toBeLessThanOrEqual(72)
    const lines = (await page.evaluate(countLines)) as number[]
    expect(Math.max(...lines)).toBe(2)
    expect([await findOverflow(page), await findBarriers(page)]).toEqual([0, []])
    await takePicture(page, `m390-rows-${path.slice(1).replaceAll(/\W/g, '-')}`)
  })

  test('the middle of a long way of folders is a menu, and every folder is in it', async () => {
    await using watched = await openPage({ width: 390 })
    const { page } = watched
    await open(page, `/buckets/folders?${new URLSearchParams({ prefix: `${folders.join('/')}/` })}`)
    await row(page, 'deep.txt').waitFor()
    const way = page.getByRole('navigation', { name: 'Folders' })
    expect(await way.getByRole('link').allInnerTexts()).toEqual(['folders', 'a', 'f'])
    await way.getByRole('button', { name: '4 folders between' }).click()
    await expect.poll(() => way.getByRole('menuitem').allInnerTexts()).toEqual(['b', 'c', 'd', 'e'])
    expect(await findBarriers(page)).toEqual([])
    await way.getByRole('menuitem', { name: 'c', exact: true }).click()
    await row(page, 'd/').waitFor()
    expect(await way.getByRole('link').allInnerTexts()).toEqual(['folders', 'a', 'b'])
    expect(await way.getByRole('button').count()).toBe(0)
  })

  test('without an observer no state of storage is shown: no entry of the menu, and its page says how to set it up', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/')
    const menu = page.getByRole('navigation', { name: 'Main' })
    await menu.getByRole('link', { name: 'Storage risk' }).waitFor()
    await using unobserved = await startFilledService(5, { config: { 'plugins.disabled': ['observability'] } }).then((service) =>
      Object.assign(service, { [Symbol.asyncDispose]: () => service.stop() }),
    )
    await using other = await openPage()
    await open(other.page, '/', unobserved)
    const health = other.page.getByRole('region', { name: 'Storage health' })
    await health.getByText('Objects by state').first().waitFor()
    expect(await health.getByText('Not observed.').count()).toBe(0)
    expect(await other.page.getByRole('link', { name: 'By bucket' }).count()).toBe(0)
    expect(await other.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Storage risk' }).count()).toBe(0)
    for (const path of ['/storage-risk', '/buckets/objects/risk']) {
      await other.page.goto(`${unobserved.url}${path}`)
      await other.page.getByText('Nothing observes the data sets').waitFor()
      expect(await other.page.getByRole('table').count()).toBe(0)
    }
    expect(await findBarriers(other.page)).toEqual([])
    await other.page.getByRole('link', { name: 'Open the settings' }).click()
    await other.page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  })
})
