import { useState } from 'react'
import * as aria from 'react-aria-components'
import { createRoot } from 'react-dom/client'

const FRUITS = ['Apple', 'Banana', 'Cherry', 'Date', 'Elderberry']

function App() {
  const [state, setState] = useState({
    fruit: null,
    size: null,
    born: '',
    volume: 20,
    action: '',
    files: [],
    rows: [],
    sorted: '',
    tags: ['News', 'Travel', 'Food'],
    count: 2,
    on: false,
    ok: false,
    colour: '',
    style: [],
    more: false,
    tab: 'one',
    search: '',
    sent: '',
    start: '',
    day: '',
  })
  window.state = () => state
  const set = (patch) => setState((before) => ({ ...before, ...patch }))
  const chosen = (keys) => (keys === 'all' ? 'all' : [...keys])
  return (
    <main style={{ display: 'grid', gap: 8, maxWidth: 480 }}>
      <aria.ComboBox selectedKey={state.fruit} onSelectionChange={(fruit) => set({ fruit })}>
        <aria.Label>Fruit</aria.Label>
        <aria.Input />
        <aria.Button>▼</aria.Button>
        <aria.Popover>
          <aria.ListBox>
            {FRUITS.map((fruit) => (
              <aria.ListBoxItem key={fruit} id={fruit}>
                {fruit}
              </aria.ListBoxItem>
            ))}
          </aria.ListBox>
        </aria.Popover>
      </aria.ComboBox>
      <aria.Select selectedKey={state.size} onSelectionChange={(size) => set({ size })}>
        <aria.Label>Size</aria.Label>
        <aria.Button>
          <aria.SelectValue />
          <span aria-hidden="true">▼</span>
        </aria.Button>
        <aria.Popover>
          <aria.ListBox>
            <aria.ListBoxItem id="s">Small</aria.ListBoxItem>
            <aria.ListBoxItem id="m">Medium</aria.ListBoxItem>
            <aria.ListBoxItem id="l">Large</aria.ListBoxItem>
          </aria.ListBox>
        </aria.Popover>
      </aria.Select>
      <aria.DatePicker onChange={(born) => set({ born: born?.toString() ?? '' })}>
        <aria.Label>Born</aria.Label>
        <aria.Group style={{ display: 'flex' }}>
          <aria.DateInput style={{ display: 'flex' }}>
            {(segment) => <aria.DateSegment segment={segment} />}
          </aria.DateInput>
          <aria.Button>▼</aria.Button>
        </aria.Group>
        <aria.Popover>
          <aria.Dialog>
            <aria.Calendar>
              <aria.Button slot="previous">◀</aria.Button>
              <aria.Heading />
              <aria.Button slot="next">▶</aria.Button>
              <aria.CalendarGrid>{(date) => <aria.CalendarCell date={date} />}</aria.CalendarGrid>
            </aria.Calendar>
          </aria.Dialog>
        </aria.Popover>
      </aria.DatePicker>
      <aria.DateField onChange={(day) => set({ day: day?.toString() ?? '' })}>
        <aria.Label>Day off</aria.Label>
        <aria.DateInput style={{ display: 'flex' }}>
          {(segment) => <aria.DateSegment segment={segment} />}
        </aria.DateInput>
      </aria.DateField>
      <aria.TimeField onChange={(start) => set({ start: start?.toString() ?? '' })}>
        <aria.Label>Start</aria.Label>
        <aria.DateInput style={{ display: 'flex' }}>
          {(segment) => <aria.DateSegment segment={segment} />}
        </aria.DateInput>
      </aria.TimeField>
      <aria.Slider value={state.volume} onChange={(volume) => set({ volume })}>
        <aria.Label>Volume</aria.Label>
        <aria.SliderOutput />
        <aria.SliderTrack style={{ height: 20, position: 'relative' }}>
          <aria.SliderThumb
            style={{ width: 16, height: 16, top: 10, background: '#444', borderRadius: 8 }}
          />
        </aria.SliderTrack>
      </aria.Slider>
      <aria.MenuTrigger>
        <aria.Button>Actions</aria.Button>
        <aria.Popover>
          <aria.Menu onAction={(action) => set({ action })}>
            <aria.MenuItem id="copy">Copy</aria.MenuItem>
            <aria.SubmenuTrigger>
              <aria.MenuItem id="share">Share</aria.MenuItem>
              <aria.Popover>
                <aria.Menu onAction={(action) => set({ action })}>
                  <aria.MenuItem id="mail">By mail</aria.MenuItem>
                  <aria.MenuItem id="link">By link</aria.MenuItem>
                </aria.Menu>
              </aria.Popover>
            </aria.SubmenuTrigger>
          </aria.Menu>
        </aria.Popover>
      </aria.MenuTrigger>
      <aria.GridList
        aria-label="Files"
        selectionMode="multiple"
        selectedKeys={state.files}
        onSelectionChange={(keys) => set({ files: chosen(keys) })}
      >
        {['Letter', 'Invoice'].map((file) => (
          <aria.GridListItem key={file} id={file} textValue={file}>
            <aria.Checkbox slot="selection">
              <span aria-hidden="true">☐</span>
            </aria.Checkbox>
            {file}
            <aria.Button onPress={() => set({ action: `info ${file}` })}>Info</aria.Button>
          </aria.GridListItem>
        ))}
      </aria.GridList>
      <aria.Table
        aria-label="People"
        selectionMode="multiple"
        selectedKeys={state.rows}
        onSelectionChange={(keys) => set({ rows: chosen(keys) })}
        onSortChange={({ column, direction }) => set({ sorted: `${column} ${direction}` })}
      >
        <aria.TableHeader>
          <aria.Column id="name" isRowHeader allowsSorting>
            Name
          </aria.Column>
          <aria.Column id="age">Age</aria.Column>
        </aria.TableHeader>
        <aria.TableBody>
          {['Ada', 'Grace'].map((name, index) => (
            <aria.Row key={name} id={name}>
              <aria.Cell>{name}</aria.Cell>
              <aria.Cell>{30 + index}</aria.Cell>
            </aria.Row>
          ))}
        </aria.TableBody>
      </aria.Table>
      <aria.TagGroup onRemove={(keys) => set({ tags: state.tags.filter((tag) => !keys.has(tag)) })}>
        <aria.Label>Topics</aria.Label>
        <aria.TagList>
          {state.tags.map((tag) => (
            <aria.Tag key={tag} id={tag} textValue={tag}>
              {tag}
              <aria.Button slot="remove">✕</aria.Button>
            </aria.Tag>
          ))}
        </aria.TagList>
      </aria.TagGroup>
      <aria.NumberField value={state.count} onChange={(count) => set({ count })}>
        <aria.Label>Count</aria.Label>
        <aria.Group>
          <aria.Button slot="decrement">-</aria.Button>
          <aria.Input />
          <aria.Button slot="increment">+</aria.Button>
        </aria.Group>
      </aria.NumberField>
      <aria.Switch isSelected={state.on} onChange={(on) => set({ on })}>
        Wifi
      </aria.Switch>
      <aria.Checkbox isSelected={state.ok} onChange={(ok) => set({ ok })}>
        Agree
      </aria.Checkbox>
      <aria.RadioGroup value={state.colour} onChange={(colour) => set({ colour })}>
        <aria.Label>Colour</aria.Label>
        <aria.Radio value="red">Red</aria.Radio>
        <aria.Radio value="blue">Blue</aria.Radio>
      </aria.RadioGroup>
      <aria.ToggleButtonGroup
        aria-label="Style"
        selectionMode="multiple"
        selectedKeys={state.style}
        onSelectionChange={(keys) => set({ style: chosen(keys) })}
      >
        <aria.ToggleButton id="bold">Bold</aria.ToggleButton>
        <aria.ToggleButton id="italic">Italic</aria.ToggleButton>
      </aria.ToggleButtonGroup>
      <aria.Disclosure isExpanded={state.more} onExpandedChange={(more) => set({ more })}>
        <aria.Heading>
          <aria.Button slot="trigger">More</aria.Button>
        </aria.Heading>
        <aria.DisclosurePanel>Here is more.</aria.DisclosurePanel>
      </aria.Disclosure>
      <aria.Tabs selectedKey={state.tab} onSelectionChange={(tab) => set({ tab })}>
        <aria.TabList aria-label="Views">
          <aria.Tab id="one">One</aria.Tab>
          <aria.Tab id="two">Two</aria.Tab>
        </aria.TabList>
        <aria.TabPanel id="one">First view</aria.TabPanel>
        <aria.TabPanel id="two">Second view</aria.TabPanel>
      </aria.Tabs>
      <aria.SearchField onSubmit={(search) => set({ search })}>
        <aria.Label>Search</aria.Label>
        <aria.Input />
        <aria.Button>✕</aria.Button>
      </aria.SearchField>
      <aria.DialogTrigger>
        <aria.Button>Delete all</aria.Button>
        <aria.Modal>
          <aria.Dialog role="alertdialog">
            {({ close }) => (
              <>
                <aria.Heading slot="title">Really?</aria.Heading>
                <aria.Button onPress={close}>Keep</aria.Button>
                <aria.Button
                  onPress={() => {
                    set({ action: 'deleted' })
                    close()
                  }}
                >
                  Delete
                </aria.Button>
              </>
            )}
          </aria.Dialog>
        </aria.Modal>
      </aria.DialogTrigger>
      <aria.Form
        onSubmit={(event) => {
          event.preventDefault()
          set({ sent: new FormData(event.currentTarget).get('email') })
        }}
      >
        <aria.TextField name="email" type="email" isRequired>
          <aria.Label>Email</aria.Label>
          <aria.Input />
          <aria.FieldError />
        </aria.TextField>
        <aria.Button type="submit">Send</aria.Button>
      </aria.Form>
    </main>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
