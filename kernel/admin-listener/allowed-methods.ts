/** Methods of the registered routes, for the Allow header of a 405 answer (RFC 9110, 15.5.6). */
export class AllowedMethods {
  readonly #routes = new Map<string, { readonly segments: readonly string[]; readonly methods: Set<string> }>()

  /** Wildcard routes do not count: they answer every path without another route. */
  add({ url, method }: { readonly url: string; readonly method: string | readonly string[] }): void {
    if (url.includes('*')) return
    const route = this.#routes.get(url) ?? { segments: url.split('/'), methods: new Set() }
    this.#routes.set(url, route)
    for (const one of [method].flat()) route.methods.add(one)
  }

  /** Sorted methods of the routes that match the path; empty when none does. */
  of(path: string): readonly string[] {
    const segments = path.split('/')
    const matching = [...this.#routes.values()].filter(
      (route) => route.segments.length === segments.length && route.segments.every((segment, at) => matches(segment, segments[at] ?? '')),
    )
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort()
  }
}

const matches = (pattern: string, segment: string): boolean => (pattern.startsWith(':') ? segment !== '' : pattern === segment)
