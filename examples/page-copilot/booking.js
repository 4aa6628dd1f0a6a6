const KEY = 'harbour-bikes-booking'
const pricePerDay = { 'City bike': 18, 'E-bike': 34, 'Cargo bike': 42 }
const helmetPerDay = 3

const form = document.querySelector('#booking')
const total = document.querySelector('#total')
const bookedSection = document.querySelector('#booked')
const bookedTitle = document.querySelector('#booked-title')
const bookedText = document.querySelector('#booked-text')
const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

form.elements.date.min = today()
form.addEventListener('input', showTotal)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  localStorage.setItem(KEY, JSON.stringify(readForm()))
  form.reset()
  showTotal()
  showBooking()
  bookedTitle.focus()
})
document.querySelector('#cancel').addEventListener('click', () => {
  localStorage.removeItem(KEY)
  showBooking()
})
showTotal()
showBooking()

function readForm() {
  const fields = new FormData(form)
  return {
    bike: fields.get('bike'),
    count: Number(fields.get('count')),
    date: fields.get('date'),
    days: Number(fields.get('days')),
    email: fields.get('email'),
    helmets: fields.has('helmets'),
  }
}

function priceOf({ bike, count, days, helmets }) {
  return ((pricePerDay[bike] ?? 0) + (helmets ? helmetPerDay : 0)) * count * days
}

function showTotal() {
  const booking = readForm()
  total.textContent = booking.bike ? euros.format(priceOf(booking)) : '–'
}

function showBooking() {
  const booking = JSON.parse(localStorage.getItem(KEY) ?? 'null')
  bookedSection.hidden = booking === null
  if (booking === null) return
  const { bike, count, date, days, email, helmets } = booking
  bookedText.textContent = [
    `${count} × ${bike}${helmets ? ' with helmets' : ''}`,
    `from ${date} for ${days} ${days === 1 ? 'day' : 'days'}`,
    `${euros.format(priceOf(booking))}, to pay at the counter`,
    `booked for ${email}`,
  ].join(' · ')
}

/** The local date as a date field has it: YYYY-MM-DD. */
function today() {
  return new Intl.DateTimeFormat('sv').format(new Date())
}
