import type { IconName } from './icon-names.ts'

/** The five tones. A tone always stands beside a word: colour alone carries no meaning. */
export type Tone = 'success' | 'warning' | 'danger' | 'info' | 'neutral'

export const toneText: Readonly<Record<Tone, string>> = {
  success: 'text-success',
  warning: 'text-warning',
  danger: 'text-danger',
  info: 'text-info',
  neutral: 'text-neutral',
}

/** Text, background and border of one tone. */
export const toneBox: Readonly<Record<Tone, string>> = {
  success: 'border-success-edge bg-success-soft text-success',
  warning: 'border-warning-edge bg-warning-soft text-warning',
  danger: 'border-danger-edge bg-danger-soft text-danger',
  info: 'border-info-edge bg-info-soft text-info',
  neutral: 'border-neutral-edge bg-neutral-soft text-neutral',
}

export const toneIcons: Readonly<Record<Tone, IconName>> = {
  success: 'circle-check',
  warning: 'triangle-alert',
  danger: 'octagon-alert',
  info: 'info',
  neutral: 'info',
}

/** SVG areas. */
export const toneFill: Readonly<Record<Tone, string>> = {
  success: 'fill-success-fill',
  warning: 'fill-warning-fill',
  danger: 'fill-danger-fill',
  info: 'fill-info-fill',
  neutral: 'fill-neutral-fill',
}

/** SVG lines. */
export const toneStroke: Readonly<Record<Tone, string>> = {
  success: 'stroke-success-fill',
  warning: 'stroke-warning-fill',
  danger: 'stroke-danger-fill',
  info: 'stroke-info-fill',
  neutral: 'stroke-neutral-fill',
}
