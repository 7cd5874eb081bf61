/** Colours of the help, only where they can be shown. */
import { styleText } from 'node:util'

export type TextStyle = (format: 'title' | 'name' | 'faint', text: string) => string

const formats = { title: ['bold', 'underline'], name: ['bold'], faint: ['dim'] } as const

/** Colours on a terminal; NO_COLOR and FORCE_COLOR override that. */
export function chooseStyle(
  stdout: { readonly isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): TextStyle {
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0'
  const isColoured = !NO_COLOR && FORCE_COLOR !== '0' && (isForced || (stdout.isTTY === true && TERM !== 'dumb'))
  return isColoured ? (format, text) => styleText([...formats[format]], text, { validateStream: false }) : (_format, text) => text
}
