import { _wrapProp, isSignal } from '@builder.io/qwik'

/** For compiled components: the signal behind `holder[name]`. Without one the prop is compared at each rendering, not taken as constant. */
export function livePropOf(holder: object, name: string): unknown {
  const found: unknown = _wrapProp(holder as Record<string, unknown>, name)
  return isSignal(found) ? found : undefined
}
