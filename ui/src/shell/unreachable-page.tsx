import { $, component$, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { startSession } from '../data/session.ts'
import { Button, Empty } from '../kit/index.ts'

const retryMs = 3000

/** The service gave no answer to the first questions. */
export const UnreachablePage = component$(() => {
  const isAsking = useSignal(false)
  const ask = $(async () => {
    isAsking.value = true
    await startSession()
    isAsking.value = false
  })
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the page tries again by itself
  useVisibleTask$(({ cleanup }) => {
    const timer = setInterval(() => document.visibilityState === 'visible' && startSession(), retryMs)
    cleanup(() => clearInterval(timer))
  })
  return (
    <main class="grid min-h-dvh place-items-center p-6">
      <div>
        <h1 class="sr-only">svc</h1>
        <Empty icon="unplug" title="The service cannot be reached" text="Check that svc runs. This page tries again every few seconds.">
          <Button icon="refresh-cw" pending={isAsking.value} onClick$={ask}>
            Try again now
          </Button>
        </Empty>
      </div>
    </main>
  )
})
