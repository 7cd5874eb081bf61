declare module 'virtual:svc-icons' {
  /** Path data by icon name. */
  export const iconPaths: Readonly<Record<string, string>>
}
