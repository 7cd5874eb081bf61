import { $, component$, useSignal, useVisibleTask$ } from '@builder.io/qwik'
import { startSession } from '../data/session.ts'
import { Button } from '../kit/button.tsx'
import { Empty } from '../kit/empty.tsx'

const retryMs = 3000

/** The service gave no answer to the first questions. */
export const UnreachablePage = component$(() => {
  const isAsking = useSignal(false)
  const ask = $(async () => {
    isAsking.value = true
    try {
      await startSession()
    } finally {
      isAsking.value = false
    }
  })
  // biome-ignore lint/correctness/noQwikUseVisibleTask: the page tries again by itself
  useVisibleTask$(({ cleanup }) => {
    let isRunning = false
    // One at a time: a new attempt makes an earlier one void, and a slow service needs longer than the pause.
    const retry = async () => {
      if (isRunning || isAsking.value || document.visibilityState !== 'visible') return
      isRunning = true
      try {
        await startSession()
      } finally {
        isRunning = false
      }
    }
    const timer = setInterval(retry, retryMs)
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
