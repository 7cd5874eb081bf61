/** JSON that a person wrote, with the line of each member: messages of JSON.parse name no line for most mistakes, and no member. */

const depthMax = 8
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

interface LinedJson {
  readonly value: unknown
  /** The line of the member, or of what it would be in. */
  lineOf(path: readonly string[]): number
}

/** @param problem begins with the place, such as `rules.0.enabled` */
type Refuse = (line: number, problem: string) => never
type Path = readonly string[]

/** Refuses also a member that is given twice. */
export function readLinedJson(text: string, refuse: Refuse): LinedJson {
  const reader = new LinedReader(text, refuse)
  const value = reader.readAll()
  const lineOf = (path: Path): number => reader.lines.get(nameOf(path)) ?? lineOf(path.slice(0, -1))
  return { value, lineOf }
}

const nameOf = (path: Path): string => path.join('.')

class LinedReader {
  readonly lines = new Map<string, number>()
  readonly #text: string
  readonly #refuse: Refuse
  #at = 0
  #line = 1

  constructor(text: string, refuse: Refuse) {
    this.#text = text
    this.#refuse = refuse
  }

  readAll(): unknown {
    const value = this.#readValue([])
    if (this.#next() !== '') this.#fail([], `ends before ${this.#found()}`)
    return value
  }

  #readValue(path: Path): unknown {
    const first = this.#next()
    this.lines.set(nameOf(path), this.#line)
    if (path.length > depthMax) this.#fail(path, `is nested deeper than ${depthMax} levels`)
    if (first === '{') return this.#readObject(path)
    if (first === '[') return this.#readList(path)
    return first === '"' ? this.#readText(path) : this.#readLiteral(path)
  }

  #readObject(path: Path): unknown {
    const members = new Map<string, unknown>()
    this.#at += 1
    if (this.#next() === '}') {
      this.#at += 1
      return {}
    }
    do {
      if (this.#next() !== '"') this.#fail(path, `needs a name in double quotes, not ${this.#found()}`)
      const name = this.#readText(path)
      const inner = [...path, name]
      if (members.has(name)) this.#fail(inner, 'is given twice')
      if (this.#next() !== ':') this.#fail(inner, `needs a colon after its name, not ${this.#found()}`)
      this.#at += 1
      members.set(name, this.#readValue(inner))
    } while (this.#continues('}', path))
    // Defines own members, so that the name __proto__ is safe.
    return Object.fromEntries(members)
  }

  #readList(path: Path): unknown {
    const items: unknown[] = []
    this.#at += 1
    if (this.#next() === ']') {
      this.#at += 1
      return items
    }
    do items.push(this.#readValue([...path, String(items.length)]))
    while (this.#continues(']', path))
    return items
  }

  #continues(end: '}' | ']', path: Path): boolean {
    const mark = this.#next()
    if (mark !== ',' && mark !== end) this.#fail(path, `needs a comma or ${end}, not ${this.#found()}`)
    this.#at += 1
    return mark === ','
  }

  #readText(path: Path): string {
    const start = this.#at
    let end = start + 1
    while (end < this.#text.length && this.#text[end] !== '"' && this.#text[end] !== '\n') end += this.#text[end] === '\\' ? 2 : 1
    if (this.#text[end] !== '"') this.#fail(path, 'has a text without closing quotes')
    this.#at = end + 1
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string
    } catch {
      return this.#fail(path, 'has a text with an invalid escape or a control character')
    }
  }

  #readLiteral(path: Path): unknown {
    literal.lastIndex = this.#at
    const [text] = literal.exec(this.#text) ?? []
    if (text === undefined) return this.#fail(path, `needs a value, not ${this.#found()}`)
    this.#at += text.length
    return JSON.parse(text)
  }

  /** Skips spaces and line breaks. Returns '' at the end. */
  #next(): string {
    for (; ; this.#at += 1) {
      const mark = this.#text[this.#at] ?? ''
      if (mark === '\n') this.#line += 1
      else if (mark !== ' ' && mark !== '\t' && mark !== '\r') return mark
    }
  }

  #found(): string {
    const mark = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
    return this.#at < this.#text.length ? JSON.stringify(mark) : 'the end of the text'
  }

  #fail(path: Path, problem: string): never {
    return this.#refuse(this.#line, `${nameOf(path) || 'the JSON'} ${problem}`)
  }
}
