import { component$, Slot } from '@builder.io/qwik'

/** One component of the page with a heading. */
export const Part = component$<{ title: string; wide?: boolean | undefined }>(({ title, wide }) => (
  <section id={title.toLowerCase().replaceAll(' ', '-')} aria-label={title} class={['min-w-0', wide && 'lg:col-span-2']}>
    <h2 class="mb-3 text-xs font-semibold tracking-wide text-muted uppercase">{title}</h2>
    <div class="flex min-w-0 flex-col gap-4">
      <Slot />
    </div>
  </section>
))

/** Things in a line. */
export const Row = component$(() => (
  <div class="flex min-w-0 flex-wrap items-center gap-3">
    <Slot />
  </div>
))
