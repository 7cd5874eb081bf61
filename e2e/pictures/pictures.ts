/** The pictures of docs/guide/dashboard/: which page each one shows, how large, and what is done on the page first. */
import type { Page } from 'playwright-core'

export interface Picture {
  /** Name of the file, without `.webp`. */
  readonly name: string
  readonly path: string
  readonly theme?: 'light' | 'dark'
  readonly isPhone?: true
  /** Waits for what the picture shows, or opens it. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const text = (wanted: string | RegExp) => (page: Page) => page.getByText(wanted).locator('visible=true').first().waitFor()
const firstRow = (page: Page) => page.getByRole('row').nth(1).waitFor()
const photo = 'object=2026%2Flofoten%2FIMG_2050.jpg&prefix=2026%2Flofoten%2F'

/** @param replaced local id of the data set whose replacement the wizard shows */
export const listPictures = ({ replaced, provider }: { readonly replaced: number; readonly provider: string }): readonly Picture[] => [
  // Pages that are shown later leave lines of their own.
  { name: 'audit', path: '/audit?what=change', prepare: firstRow },
  // Each picture is a session.
  { name: 'sessions', path: '/sessions', prepare: text('Second factor') },
  { name: 'overview', path: '/', prepare: showHour },
  { name: 'overview-phone', path: '/', theme: 'dark', isPhone: true, prepare: text('Storage health') },
  { name: 'palette', path: '/', theme: 'dark', prepare: searchInPalette },
  { name: 'buckets', path: '/buckets', prepare: firstRow },
  { name: 'objects', path: `/buckets/photos?${photo}`, prepare: text('Preview') },
  { name: 'preview', path: `/buckets/photos?${photo}`, isPhone: true, prepare: showPreview },
  { name: 'share', path: `/buckets/photos?${photo}`, prepare: share },
  { name: 'bucket-settings', path: '/buckets/photos?tab=settings', prepare: text('Grants of the bucket') },
  { name: 'packs', path: '/buckets/logs?tab=packs', prepare: text('Pack 1') },
  { name: 'topology', path: '/topology', theme: 'dark', prepare: (page) => page.getByRole('figure', { name: 'Topology' }).waitFor() },
  { name: 'below-target', path: '/below-target', prepare: text('storage quota') },
  { name: 'tasks', path: '/tasks', prepare: firstRow },
  { name: 'confirmations', path: '/storage-confirmations', prepare: firstRow },
  { name: 'providers', path: '/providers', prepare: firstRow },
  {
    name: 'provider',
    path: `/providers/${provider}`,
    theme: 'dark',
    prepare: (page) => page.getByRole('region', { name: 'Scorecard' }).waitFor(),
  },
  { name: 'replace', path: `/buckets/backups/replace/${replaced}`, prepare: reviewReplacement },
  { name: 'replacement', path: '/replacements/1', isPhone: true, prepare: text('the old service has ended') },
  { name: 'repairs', path: '/repairs', theme: 'dark', prepare: text('Repaired') },
  { name: 'what-if', path: `/providers/${provider}/what-if`, theme: 'dark', prepare: text('Stored there') },
  { name: 'wallet', path: '/wallet', prepare: text('Balances') },
  { name: 'costs', path: '/costs', theme: 'dark', prepare: text('By bucket') },
  { name: 'users', path: '/s3-users', prepare: text('Former contractor') },
  { name: 'settings', path: '/settings?q=limit', theme: 'dark', prepare: text('Default:') },
  { name: 'system', path: '/system', prepare: text('Required by') },
  { name: 'doctor', path: '/doctor', isPhone: true, prepare: runChecks },
]

async function showHour(page: Page): Promise<void> {
  const card = page.getByRole('region', { name: 'Over time' })
  await card.getByRole('tab', { name: '1 hour' }).click()
  await card.getByRole('figure').nth(5).waitFor()
}

async function searchInPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
  await page.keyboard.type('photos/2026/')
  await page.getByRole('option').filter({ hasText: 'kyoto' }).waitFor()
}

async function showPreview(page: Page): Promise<void> {
  const image = page.getByRole('img', { name: /^Preview of/ })
  await image.waitFor()
  await image.scrollIntoViewIfNeeded()
}

async function share(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Make and copy a link' }).click()
  await page.getByText(/^Link, until/).waitFor()
}

async function reviewReplacement(page: Page): Promise<void> {
  await button(page, 'Continue').click()
  await page.getByText('A provider that this bucket never used').locator('visible=true').first().waitFor()
  await button(page, 'Continue').click()
  await page.getByText('Old service each month').locator('visible=true').first().waitFor()
}

async function runChecks(page: Page): Promise<void> {
  await button(page, 'Run the quick checks').click()
  await page.locator('button[aria-busy=true]').waitFor({ state: 'detached' })
}
