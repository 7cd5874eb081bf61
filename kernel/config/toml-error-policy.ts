/** The place and reason of a TOML error, without quoting the file: a line may hold a secret (I-10). */

const value = 'expected a value: "text", a number, true, false, [list] or {table}'

/** What the last line of the parser's message begins with → the reason in fixed words. */
const reasons: readonly (readonly [begin: RegExp, reason: string])[] = [
  [/^Expected (table closing|"\]\]")/, 'expected "]" after the name of the table'],
  [/^Expected "=" /, 'expected "=" after the key'],
  [/^Missing key/, 'expected a key before "="'],
  [/^Newline .* not allowed|^Expected close of string|^Unterminated/, 'expected a closing quote'],
  [/^Missing comma/, 'expected a comma or "]" in the list'],
  [/^Expected "}"/, 'expected "}" after the inline table'],
  [/^Key\/value pairs must be separated/, 'expected the end of the line after the value'],
  [/^Table already defined/, 'a table or key of this name is defined twice'],
  [/^Value already defined/, 'the key is defined twice'],
  [/escape/i, 'unknown escape sequence after "\\" in a string'],
  [/\(0x[0-9A-F]+\) not allowed/, 'a control character in a string must be written as \\u and its four digits'],
  [/^Expected value|^Unrecognized token|^Invalid |^Leading zeros|^"/, value],
]

/** @param error as the parser throws it: `line` from 1, `column` from 0, the reason on the last line of the message */
export function describeTomlError(error: unknown): string {
  const { line, column, message } = error as { readonly line?: number; readonly column?: number; readonly message: string }
  const last = message.slice(message.lastIndexOf('\n') + 1)
  const reason = reasons.find(([begin]) => begin.test(last))?.[1] ?? 'expected key = value or [table]'
  return `line ${line ?? '?'}, column ${column === undefined ? '?' : column + 1}: ${reason}`
}
