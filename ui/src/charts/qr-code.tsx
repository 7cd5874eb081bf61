import { component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Skeleton } from '../kit/skeleton.tsx'

interface Drawing {
  /** Modules at each side. */
  readonly size: number
  readonly path: string
}

/** A text as QR code, drawn in this page. Black on white in every theme, which cameras need. */
export const QrCode = component$<{ text: string; label: string }>((props) => {
  const drawing = useSignal<Drawing>()
  useTask$(({ track }) => {
    const text = track(() => props.text)
    void draw(text, drawing)
  })
  return drawing.value ? (
    <svg
      role="img"
      aria-label={props.label}
      viewBox={`0 0 ${drawing.value?.size ?? 0} ${drawing.value?.size ?? 0}`}
      class="size-48 rounded-md"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={drawing.value?.path ?? ''} fill="#000" shape-rendering="crispEdges" />
    </svg>
  ) : (
    <Skeleton class="size-48" />
  )
})

async function draw(text: string, drawing: Signal<Drawing | undefined>): Promise<void> {
  const { encode } = await import('uqr')
  // Readers expect an empty edge of four modules.
  const { size, data } = encode(text, { ecc: 'M', border: 4 })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  drawing.value = { size, path }
}
