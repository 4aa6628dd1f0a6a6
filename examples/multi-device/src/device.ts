const COLORS = { amber: '#f2b84b', green: '#58b888', blue: '#6aa5e8' }

export interface DeviceInfo {
  readonly browser: string
  readonly window: string
  readonly timeZone: string
}

export function describeDevice(): DeviceInfo {
  return {
    browser: navigator.userAgent,
    window: `${innerWidth} × ${innerHeight}`,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

/** Colors the page, then fades back to its own background. */
export function lightUp(color: keyof typeof COLORS): void {
  const steps = { background: [COLORS[color], COLORS[color], 'transparent'] }
  document.body.animate(steps, { duration: 3000, easing: 'ease-in' })
}
