import { component$, Slot } from '@builder.io/qwik'
import { showHidden } from './format/ids.ts'
import { Icon } from './icon.tsx'
import { Menu, type MenuItem } from './menu.tsx'

interface Crumb {
  readonly label: string
  /** Absent on the current page. */
  readonly to?: string | undefined
  /** Steps that are folded into a menu, which `label` names. */
  readonly menu?: readonly MenuItem[] | undefined
}

/** The way to this page. Long names are cut; the title has all of them. */
export const Crumbs = component$<{ items: readonly Crumb[]; label?: string | undefined }>(({ items, label = 'Breadcrumb' }) => (
  <nav aria-label={label} class="min-w-0">
    <ol class="flex min-w-0 flex-wrap items-center gap-1 text-sm text-muted">
      {items.map(({ label: text, to, menu }, index) => (
        <li key={`${index} ${text}`} class="flex min-w-0 items-center gap-1">
          {index > 0 && <Icon name="chevron-right" size={14} />}
          {menu ? (
            <Menu label={text} align="start" items={menu} />
          ) : to ? (
            <a href={to} title={showHidden(text)} class="max-w-60 truncate rounded-sm hover:text-fg hover:underline">
              <bdi>{showHidden(text)}</bdi>
            </a>
          ) : (
            <span aria-current="page" title={showHidden(text)} class="max-w-80 truncate text-fg">
              <bdi>{showHidden(text)}</bdi>
            </span>
          )}
        </li>
      ))}
    </ol>
  </nav>
))

interface PageHeaderProps {
  title: string
  description?: string | undefined
  crumbs?: readonly Crumb[] | undefined
}

/** First part of a page, with its h1. Slots: `badge` (beside the title), `actions` (right). */
export const PageHeader = component$<PageHeaderProps>(({ title, description, crumbs }) => (
  <header class="mb-5 flex flex-col gap-2">
    {crumbs && <Crumbs items={crumbs} />}
    <div class="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div class="min-w-0 max-w-full">
        <div class="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 tabIndex={-1} class="max-w-full text-xl font-semibold tracking-tight [overflow-wrap:anywhere] outline-none">
            <bdi>{showHidden(title)}</bdi>
          </h1>
          <Slot name="badge" />
        </div>
        {description && <p class="mt-1 max-w-prose text-sm text-muted">{description}</p>}
      </div>
      <div class="flex flex-wrap items-center gap-2 empty:hidden">
        <Slot name="actions" />
      </div>
    </div>
  </header>
))
