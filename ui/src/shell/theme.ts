import { Observable } from '../data/observable.ts'

export type Theme = 'system' | 'light' | 'dark'

const key = 'svc.theme'
const systemIsDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

/** public/theme.js applies the same before the first paint. */
export const theme = new Observable<Theme>(readTheme())

export function chooseTheme(choice: Theme): void {
  theme.value = choice
  try {
    localStorage.setItem(key, choice)
  } catch {
    // Storage is blocked: the choice lasts as long as the tab.
  }
  apply()
}

export function followTheme(): void {
  addEventListener('storage', ({ key: changed }) => {
    if (changed !== key) return
    theme.value = readTheme()
    apply()
  })
  systemIsDark().addEventListener('change', apply)
}

function apply(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && systemIsDark().matches)
  document.documentElement.classList.toggle('dark', isDark)
}

function readTheme(): Theme {
  try {
    const saved = localStorage.getItem(key)
    return saved === 'light' || saved === 'dark' ? saved : 'system'
  } catch {
    return 'system'
  }
}
