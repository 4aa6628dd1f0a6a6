const euros = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })
const days = new Intl.DateTimeFormat('en-IE', { weekday: 'short', day: 'numeric', month: 'short' })

export function formatMoney(cents: number): string {
  return euros.format(cents / 100)
}

export function formatDay(time: number): string {
  return days.format(time)
}
