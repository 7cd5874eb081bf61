/** The jobs of an operator on objects and buckets, in a real browser. No chain is needed: the bytes stay in the cache. */
import { CreateMultipartUploadCommand, PutObjectCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findFlaws, widths } from './fixtures/inspect.ts'

let svc: Gateway
let s3: S3Client
let owner: string

const call = (method: string, path: string, options: object = {}) => svc.call(method, `/api/v1${path}`, options)
const dialog = (page: Page) => page.locator('dialog:modal')
const row = (page: Page, text: string) => page.locator('#main').getByRole('row').filter({ hasText: text })
const open = (page: Page, path: string) => signIn(page, { base_url: svc.adminUrl, admin: testOperator }, path)
const keysOf = async (path: string): Promise<readonly string[]> =>
  ((await call('GET', `/buckets/${path}?limit=1000`)).json as { objects: { key: string }[] }).objects.map(({ key }) => key)

const createBucket = (name: string) => call('POST', '/buckets', { json: { name, owner_access_key: owner } })
const put = (Bucket: string, Key: string, Body: string | Buffer = 'x'.repeat(200), ContentType = 'text/plain') =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }))
async function trash(bucket: string, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => put(bucket, key)))
  await Promise.all(keys.map((key) => call('DELETE', `/buckets/${bucket}/objects?key=${encodeURIComponent(key)}`)))
}
const names = (count: number, prefix = '') => Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(3, '0')}.txt`)

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await startServeHere({ settings: { 'plugins.disabled': ['replication', 'providers', 'wallet'], 's3.public_access': true } })
  const user = await svc.createUser()
  owner = user.access_key
  s3 = svc.connect(user)
})
afterAll(() => svc?.[Symbol.asyncDispose]())

describe.runIf(hasBrowser)('jobs of the dashboard', { timeout: 240_000 }, () => {
  test('trash: selected objects are restored, and the rest is emptied by one confirmation with the name of the bucket', async () => {
    await createBucket('bin')
    await trash('bin', names(120))
    await put('bin', 'live.txt')
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/bin?tab=trash')
    await page.getByText('120 objects').waitFor()
    for (const name of ['000.txt', '001.txt']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByRole('button', { name: 'Restore selected' }).click()
    await dialog(page).getByText('Restore 2 objects?').waitFor()
    await dialog(page).getByRole('button', { name: 'Restore' }).click()
    await page.getByText('2 objects restored').waitFor()
    await page.getByText('118 objects').waitFor()
    await page.getByRole('button', { name: 'Empty trash' }).click()
    await dialog(page).getByText('Delete 118 objects permanently?').waitFor()
    const confirm = dialog(page).getByRole('button', { name: 'Delete permanently' })
    await dialog(page).getByLabel('Type bin to confirm').fill('bi')
    expect(await confirm.getAttribute('aria-disabled')).toBe('true')
    await dialog(page).getByLabel('Type bin to confirm').fill('bin')
    await confirm.click()
    await page.getByText('118 objects deleted permanently').waitFor()
    await page.getByRole('paragraph').filter({ hasText: 'The trash is empty' }).waitFor()
    expect([await keysOf('bin/objects'), await keysOf('bin/objects/deleted')]).toEqual([['000.txt', '001.txt', 'live.txt'], []])
  })

  test('a folder moves to the trash by one request, however many objects it has', async () => {
    await createBucket('folders')
    await Promise.all(names(130, 'photos/').map((key) => put('folders', key)))
    await put('folders', 'kept.txt')
    await using watched = await openPage()
    const { page } = watched
    const changes: string[] = []
    page.on('request', (request) => request.method() !== 'GET' && changes.push(new URL(request.url()).pathname))
    await open(page, '/buckets/folders')
    await page.getByRole('checkbox', { name: 'Select photos/' }).check()
    await page.getByText('1 row selected').waitFor()
    await row(page, 'photos/')
      .getByRole('button', { name: /Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Delete its objects' }).click()
    await dialog(page).getByText('Delete 130 objects?').waitFor()
    await dialog(page).getByRole('button', { name: 'Move to trash' }).click()
    await page.getByText('130 objects moved to the trash').waitFor()
    expect(await keysOf('folders/objects')).toEqual(['kept.txt'])
    expect(changes.filter((path) => path.endsWith('/bulk-actions'))).toHaveLength(1)
    expect(await page.getByText('1 row selected').count()).toBe(0)
  })

  test('a bucket is deleted with its objects, versions and trash after its name is typed, and the list opens', async () => {
    await createBucket('doomed')
    for (const text of ['one', 'two']) await put('doomed', 'a.txt', text.padEnd(200))
    await trash('doomed', ['gone.txt'])
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/doomed?tab=settings')
    await page.getByRole('button', { name: 'Delete bucket' }).click()
    await dialog(page).getByText('Delete the bucket doomed?').waitFor()
    await dialog(page).getByRole('row').filter({ hasText: 'Versions with bytes' }).getByText('3', { exact: true }).waitFor()
    await dialog(page).getByLabel('Type doomed to confirm').fill('doomed')
    await dialog(page).getByRole('button', { name: 'Delete bucket' }).click()
    await page.getByText('Bucket doomed deleted').waitFor()
    await page.getByRole('heading', { name: 'Buckets', level: 1 }).waitFor()
    expect((await call('GET', '/buckets/doomed')).status).toBe(404)
  })

  test('a link is made for an object, reads it without credentials, and its addresses are shown', async () => {
    await createBucket('shared')
    await put('shared', 'a b/ü?.txt', 'shared text'.padEnd(200))
    await using watched = await openPage()
    const { page } = watched
    // Pages on plain http have no clipboard, only the command that copies a selection.
    await page.addInitScript(`
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
      addEventListener('copy', () => { globalThis.copiedHere = document.activeElement.value })
    `)
    await open(page, `/buckets/shared?object=${encodeURIComponent('a b/ü?.txt')}`)
    await dialog(page).getByRole('button', { name: 'Share' }).click()
    const share = page.locator('dialog:modal').filter({ hasText: 'Share this object' })
    await share.getByText('s3://shared/a b/ü?.txt').waitFor()
    await share.getByLabel('Address of the S3 API').fill(svc.s3Url)
    await share.getByLabel('Expires after').selectOption('3600')
    await share.getByRole('button', { name: 'Make and copy a link' }).click()
    await share.getByText('X-Amz-Signature=').waitFor()
    const link = (await share.getByText('X-Amz-Signature=').textContent()) ?? ''
    expect(new URL(link).searchParams.get('X-Amz-Expires')).toBe('3600')
    await share.getByText('The link is in the clipboard.').waitFor()
    expect(await page.evaluate('copiedHere')).toBe(link)
    const read = await fetch(link)
    expect([read.status, (await read.text()).trim()]).toEqual([200, 'shared text'])
  })

  test('previews show text, JSON and pictures; hostile SVG and HTML are text that does not run', async () => {
    await createBucket('shown')
    const hostile =
      '<svg xmlns="http://www.w3.org/2000/svg" onload="top.document.title=\'owned\'"><script>top.document.title="owned"</script></svg>'
    await put('shown', 'evil.svg', hostile.padEnd(300), 'image/svg+xml')
    await put('shown', 'evil.html', `<script>top.document.title="owned"</script>`.padEnd(300), 'text/html')
    await put('shown', 'data.json', '{"camera":"x100","list":[1,2]}'.padEnd(200), 'application/json')
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
    await put('shown', 'dot.png', Buffer.concat([png, Buffer.alloc(200)]), 'image/png')
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/shown?object=evil.svg')
    await dialog(page).getByRole('region', { name: 'Preview of evil.svg' }).getByText('onload').waitFor()
    await page.goto(`${svc.adminUrl}/buckets/shown?object=data.json`)
    await dialog(page).getByRole('region', { name: 'Preview of data.json' }).getByText('"camera": "x100"').waitFor()
    await page.goto(`${svc.adminUrl}/buckets/shown?object=dot.png`)
    const picture = dialog(page).getByRole('img', { name: 'Preview of dot.png' })
    await expect.poll(() => picture.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)).toBe(1)
    // Opened as a document of its own, with the session of the operator.
    for (const key of ['evil.svg', 'evil.html']) {
      await page.goto(`${svc.adminUrl}/api/v1/buckets/shown/objects/preview?key=${key}`)
      await expect.poll(() => page.locator('body').innerText()).toContain('<script>')
      expect(await page.title()).not.toBe('owned')
    }
    // The violation of an event handler would be a fault of the page.
    expect(watched.faults).toEqual([])
  })

  test('a bucket is made public and private again, and every place that names it says so', async () => {
    await createBucket('opened')
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/opened?tab=settings')
    const access = page.getByRole('region', { name: 'Access' })
    await access.getByText('Private', { exact: true }).waitFor()
    await access.getByRole('button', { name: 'Make public', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Make public' }).click()
    await access.getByText('Public', { exact: true }).waitFor()
    await page.getByText('This bucket is public').waitFor()
    expect((await fetch(`${svc.s3Url}/opened`)).status).toBe(200)
    await page.getByRole('link', { name: 'Buckets' }).first().click()
    await row(page, 'opened').getByText('Public: list').waitFor()
    await page.goto(`${svc.adminUrl}/buckets/opened?tab=settings`)
    await access.getByRole('button', { name: 'Make private' }).click()
    await dialog(page).getByRole('button', { name: 'Make private' }).click()
    await access.getByText('Private', { exact: true }).waitFor()
    expect((await fetch(`${svc.s3Url}/opened`)).status).toBe(403)
  })

  test('settings of a bucket: tags, CORS rules and open uploads are in one place', async () => {
    await createBucket('tuned')
    const target = { Bucket: 'tuned', Key: 'part/ial.bin' }
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target))
    await s3.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: 'p'.repeat(4096) }))
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/tuned?tab=settings')
    await page.getByLabel('Tags of the bucket').fill('team=films, cost=42')
    await page.getByRole('button', { name: 'Save tags' }).click()
    await page.getByText('Tags saved').waitFor()
    await page.getByLabel('Origins').fill('https://page.example')
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByText('CORS rules saved').waitFor()
    expect((await call('GET', '/buckets/tuned/s3-settings')).json).toMatchObject({
      tags: [
        { key: 'cost', value: '42' },
        { key: 'team', value: 'films' },
      ],
      cors_rules: [{ allowed_origins: ['https://page.example'], allowed_methods: ['GET', 'HEAD'] }],
    })
    const uploads = page.getByRole('region', { name: 'Open uploads' })
    await uploads.getByText('1 part, 4.0 KiB of the cache').waitFor()
    await uploads.getByRole('button', { name: 'Abort' }).click()
    await dialog(page).getByRole('button', { name: 'Abort upload' }).click()
    await uploads.getByText('No multipart upload is open').waitFor()
  })

  test('lifecycle rules of a bucket are added after a question that says what they delete, and removed', async () => {
    await createBucket('expiring')
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/expiring?tab=settings')
    const card = page.getByRole('region', { name: 'Lifecycle rules' })
    await card.getByText('No rule: svc deletes no version by itself.').waitFor()
    await card.getByRole('button', { name: 'Add lifecycle rule' }).click()
    await card.getByText('Say after how many days what happens.').waitFor()
    await card.getByLabel('Keys that begin with').fill('logs/')
    await card.getByLabel('Delete earlier versions after days').fill('30')
    await card.getByLabel('Earlier versions that stay').fill('3')
    await card.getByRole('button', { name: 'Add lifecycle rule' }).click()
    await dialog(page).getByText('Earlier versions are deleted permanently 30 days after').waitFor()
    await dialog(page).getByRole('button', { name: 'Add the rule' }).click()
    await page.getByText('Lifecycle rules saved').waitFor()
    await card.getByRole('listitem').getByText('the newest 3 of them stay').waitFor()
    expect((await call('GET', '/buckets/expiring/s3-settings')).json.lifecycle_rules).toMatchObject([
      { enabled: true, prefix: 'logs/', noncurrent_days: 30, newer_noncurrent_kept: 3 },
    ])
    await card.getByRole('button', { name: 'Remove the rule' }).click()
    await card.getByText('No rule: svc deletes no version by itself.').waitFor()
    expect((await call('GET', '/buckets/expiring/s3-settings')).json.lifecycle_rules).toEqual([])
  })

  test('a bucket gets a quota, which the next upload of a client exceeds, and none again', async () => {
    await createBucket('limited')
    await put('limited', 'first.txt')
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/limited?tab=settings')
    const card = page.getByRole('region', { name: 'Quota' })
    await card.getByText('1, no limit').waitFor()
    await card.getByLabel('Most object versions').fill('0')
    await card.getByRole('button', { name: 'Save quota' }).click()
    await card.getByText('Versions must be a whole number').waitFor()
    await card.getByLabel('Most object versions').fill('1')
    await card.getByLabel('Most GiB').fill('0.5')
    await card.getByRole('button', { name: 'Save quota' }).click()
    await card.getByText('1 of 1, 100%').waitFor()
    await card.getByText('of 512.0 MiB').waitFor()
    await expect(put('limited', 'second.txt')).rejects.toThrow('svc admin bucket quota')
    for (const label of ['Most object versions', 'Most GiB']) await card.getByLabel(label).fill('')
    await card.getByRole('button', { name: 'Save quota' }).click()
    await card.getByText('1, no limit').waitFor()
    await put('limited', 'second.txt')
  })

  test('selected objects and folders are saved as one ZIP file', async () => {
    await createBucket('zipped')
    for (const key of ['a.txt', 'dir/b.txt', 'dir/c.txt', 'left.txt']) await put('zipped', key)
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/zipped')
    for (const name of ['a.txt', 'dir/']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as ZIP' }).click()])
    const bytes = Buffer.concat((await (await download.createReadStream()).toArray()) as Buffer[]).toString('latin1')
    expect(download.suggestedFilename()).toBe('zipped.zip')
    expect(['a.txt', 'dir/b.txt', 'dir/c.txt', 'left.txt'].map((name) => bytes.includes(name))).toEqual([true, true, true, false])
  })

  test('a version shows its time, and is compared with the current one', async () => {
    await createBucket('compared')
    await put('compared', 'k', 'first'.padEnd(200), 'text/plain')
    await s3.send(
      new PutObjectCommand({
        Bucket: 'compared',
        Key: 'k',
        Body: 'second'.padEnd(300),
        ContentType: 'text/csv',
        Metadata: { camera: 'x100' },
      }),
    )
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/compared?tab=versions&key=k')
    await page.getByText('Earlier version').waitFor()
    await page
      .getByRole('button', { name: /Actions for version/ })
      .last()
      .click()
    await page.getByRole('menuitem', { name: 'Compare with the current version' }).click()
    const difference = (label: string) => dialog(page).getByRole('row').filter({ hasText: label })
    await difference('Content type').getByText('text/csv').waitFor()
    await difference('Metadata camera').getByText('none').waitFor()
    expect(await difference('Header').count()).toBe(0)
  })

  test('in the dialog of a new bucket the minimum follows the copies, and a missing owner is named by the field', async () => {
    // A single user would be chosen.
    await svc.createUser()
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets?create=1')
    const copies = dialog(page).locator('input').and(dialog(page).getByLabel('Copies'))
    const minimum = dialog(page).getByLabel('Minimum before eviction')
    await copies.fill('4')
    await minimum.fill('3')
    await copies.fill('2')
    await expect.poll(() => minimum.inputValue()).toBe('2')
    await dialog(page).getByLabel('Name', { exact: false }).last().fill('without-owner')
    await dialog(page).getByRole('button', { name: 'Create bucket' }).click()
    await dialog(page).getByText('Choose an owner.').waitFor()
  })

  test.each(widths)('settings, trash, preview and the dialog of a link have no barrier and no overflow at %i px', async (width) => {
    const bucket = `seen-${width}`
    await createBucket(bucket)
    for (const text of ['{"a":1}', '{"a":2}']) await put(bucket, 'a.json', text.padEnd(200), 'application/json')
    await trash(bucket, ['gone.txt'])
    await using watched = await openPage({ width })
    const { page } = watched
    await open(page, `/buckets/${bucket}`)
    for (const view of ['?tab=settings', '?tab=trash', '?object=a.json']) {
      await page.goto(`${svc.adminUrl}/buckets/${bucket}${view}`)
      await page.getByRole('heading', { name: bucket, level: 1 }).waitFor({ state: 'attached' })
      await page.locator('.kit-pulse').first().waitFor({ state: 'detached' })
      if (view.startsWith('?object')) await dialog(page).getByRole('heading', { name: 'Earlier versions' }).waitFor()
      expect([view, await findFlaws(page, `jobs-${view.replaceAll(/\W+/g, '-')}`)]).toEqual([view, []])
    }
    await dialog(page).getByRole('button', { name: 'Share' }).click()
    await page.getByLabel('Address of the S3 API').waitFor()
    expect(await findFlaws(page, 'jobs-share')).toEqual([])
  })

  test('an S3 user is named, limited and disabled, and its requests are refused until it is enabled', async () => {
    const user = await svc.createUser()
    const client = svc.connect(user)
    const write = () => client.send(new PutObjectCommand({ Bucket: 'named', Key: 'k', Body: 'x'.repeat(200) }))
    await call('POST', '/buckets', { json: { name: 'named', owner_access_key: user.access_key } })
    await write()
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/s3-users')
    const act = async (name: string) => {
      await row(page, user.access_key)
        .getByRole('button', { name: /Actions/ })
        .click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await act('Rename')
    await dialog(page).getByLabel('Name').fill('backup of films')
    await dialog(page).getByRole('button', { name: 'Save name' }).click()
    await row(page, 'backup of films').waitFor()
    expect(await row(page, 'backup of films').innerText()).not.toContain('Never seen')
    await act('Change limits')
    await dialog(page).getByLabel('Most object versions').fill('1')
    await dialog(page).getByLabel('Most GiB').fill('all')
    await dialog(page).getByRole('button', { name: 'Save limits' }).click()
    await dialog(page).getByText('Each limit must be a number above 0').waitFor()
    await dialog(page).getByLabel('Most GiB').fill('none')
    await dialog(page).getByRole('button', { name: 'Save limits' }).click()
    await row(page, 'backup of films').getByText('1 of 1', { exact: true }).waitFor()
    await expect(write()).rejects.toMatchObject({ name: 'ServiceQuotaExceededException' })
    await act('Change limits')
    await dialog(page).getByLabel('Most object versions').fill('')
    await dialog(page).getByRole('button', { name: 'Save limits' }).click()
    await row(page, 'backup of films').getByText('1 of 1', { exact: true }).waitFor({ state: 'detached' })
    await act('Disable')
    await dialog(page).getByRole('button', { name: 'Disable' }).click()
    await row(page, 'backup of films').getByText('Disabled').waitFor()
    await expect(write()).rejects.toMatchObject({ name: 'InvalidAccessKeyId' })
    await act('Enable')
    await dialog(page).getByRole('button', { name: 'Enable' }).click()
    await row(page, 'backup of films').getByText('Disabled').waitFor({ state: 'detached' })
    await write()
  })
})
