import 'leaflet/dist/leaflet.css'
import { Calendar } from '@fullcalendar/core'
import dayGrid from '@fullcalendar/daygrid'
import interaction from '@fullcalendar/interaction'
import leaflet from 'leaflet'

document.querySelector('#app').innerHTML =
  '<div id="calendar" style="width: 700px"></div><div id="map" style="width: 500px; height: 300px"></div>'
const log = { clicked: '', opened: '', moved: '', month: '', liked: false }
const calendar = new Calendar(document.querySelector('#calendar'), {
  plugins: [dayGrid, interaction],
  initialDate: '2026-03-01',
  height: 500,
  editable: true,
  selectable: true,
  events: [{ title: 'Review', start: '2026-03-10' }],
  dateClick: ({ dateStr }) => (log.clicked = dateStr),
  eventClick: ({ event }) => (log.opened = event.title),
  eventDrop: ({ event }) => (log.moved = event.startStr),
  datesSet: ({ view }) => (log.month = view.title),
})
calendar.render()
const map = leaflet.map('map', { zoomAnimation: false, inertia: false }).setView([0, 0], 3)
const like = document.createElement('button')
like.textContent = 'Like'
like.addEventListener('click', () => (log.liked = true))
// A picture of its own: the library's are found by a style's address.
const icon = leaflet.divIcon({ html: '📍', className: '' })
leaflet.marker([0, 0], { alt: 'Harbour', title: 'Harbour', icon }).addTo(map).bindPopup(like)
window.state = () => ({ ...log, zoom: map.getZoom(), east: Math.round(map.getCenter().lng) })
