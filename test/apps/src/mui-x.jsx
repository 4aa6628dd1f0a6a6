import * as mui from '@mui/material'
import { LocalizationProvider } from '@mui/x-date-pickers'
import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs'
import { DesktopDatePicker } from '@mui/x-date-pickers/DesktopDatePicker'
import { DesktopTimePicker } from '@mui/x-date-pickers/DesktopTimePicker'
import { RichTreeView } from '@mui/x-tree-view/RichTreeView'
import dayjs from 'dayjs'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

const PLACES = [
  {
    id: 'italy',
    label: 'Italy',
    children: [
      { id: 'rome', label: 'Rome' },
      { id: 'milan', label: 'Milan' },
    ],
  },
  { id: 'spain', label: 'Spain', children: [{ id: 'madrid', label: 'Madrid' }] },
]
const TAGS = ['Bug', 'Feature', 'Question', 'Docs', 'Design']

function App() {
  const [state, setState] = useState({
    born: '2026-03-09',
    due: '',
    start: '',
    tags: [],
    colours: [],
    price: [20, 60],
    place: '',
    stars: 2,
    drawer: false,
    undone: false,
  })
  const [toast, setToast] = useState('')
  window.state = () => state
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  const iso = (value) => (value?.isValid() ? value.format('YYYY-MM-DD') : '')
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs}>
      <mui.Stack spacing={2} sx={{ p: 2, maxWidth: 480 }}>
        <mui.Button onClick={() => set({ drawer: true })}>Filters</mui.Button>
        <DesktopDatePicker
          label="Born"
          value={dayjs(state.born)}
          onChange={(value) => set({ born: iso(value) })}
        />
        <DesktopDatePicker
          label="Due"
          referenceDate={dayjs('2026-05-20')}
          onChange={(value) => set({ due: iso(value) })}
        />
        <DesktopTimePicker
          label="Start"
          onChange={(value) => set({ start: value?.isValid() ? value.format('HH:mm') : '' })}
        />
        <mui.Autocomplete
          multiple
          options={TAGS}
          value={state.tags}
          onChange={(_, tags) => set({ tags })}
          renderInput={(props) => <mui.TextField {...props} label="Tags" />}
        />
        <mui.FormControl>
          <mui.InputLabel id="colours">Colours</mui.InputLabel>
          <mui.Select
            labelId="colours"
            label="Colours"
            multiple
            value={state.colours}
            onChange={(event) => set({ colours: event.target.value })}
            renderValue={(chosen) => chosen.join(', ')}
          >
            {['Red', 'Green', 'Blue'].map((colour) => (
              <mui.MenuItem key={colour} value={colour}>
                <mui.Checkbox checked={state.colours.includes(colour)} />
                <mui.ListItemText primary={colour} />
              </mui.MenuItem>
            ))}
          </mui.Select>
        </mui.FormControl>
        <mui.Slider
          getAriaLabel={(index) => (index === 0 ? 'Lowest price' : 'Highest price')}
          value={state.price}
          onChange={(_, price) => set({ price })}
        />
        <mui.Rating name="stars" value={state.stars} onChange={(_, stars) => set({ stars })} />
        <RichTreeView
          aria-label="Places"
          items={PLACES}
          onItemClick={(_, place) => set({ place })}
        />
        <mui.Accordion>
          <mui.AccordionSummary>More</mui.AccordionSummary>
          <mui.AccordionDetails>
            <mui.Button onClick={() => setToast('Saved')}>Save</mui.Button>
          </mui.AccordionDetails>
        </mui.Accordion>
      </mui.Stack>
      <mui.Drawer open={state.drawer} onClose={() => set({ drawer: false })}>
        <mui.List>
          <mui.ListItemButton onClick={() => set({ drawer: false, place: 'all' })}>
            All places
          </mui.ListItemButton>
        </mui.List>
      </mui.Drawer>
      <mui.Snackbar
        open={toast !== ''}
        onClose={() => setToast('')}
        message={toast}
        action={
          <mui.Button
            size="small"
            onClick={() => {
              set({ undone: true })
              setToast('')
            }}
          >
            Undo
          </mui.Button>
        }
      />
    </LocalizationProvider>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
