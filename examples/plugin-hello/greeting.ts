/** Returns for example `Hello, Ada!`. */
export function greet(greeting: string, name: string): string {
  return `${greeting}, ${name}!`
}
