"""Line drawings on a grid of 24, drawn for this dashboard."""

ICONS = {
    "home": '<path d="M4 11 12 4l8 7v9h-5v-6H9v6H4z"/>',
    "workflow": '<rect x="3" y="4" width="7" height="5" rx="1"/>'
    '<rect x="14" y="15" width="7" height="5" rx="1"/><path d="M6.5 9v5a3 3 0 0 0 3 3H14"/>',
    "layout": '<rect x="4" y="4" width="16" height="16" rx="2"/><path d="M4 9h16M10 9v11"/>',
    "plug": '<path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4"/>',
    "people": '<circle cx="9" cy="8" r="3.5"/><path d="M3 20c0-4 2.5-6 6-6s6 2 6 6"/>'
    '<path d="M15.5 4.8a3.5 3.5 0 0 1 0 6.4M17.5 14.5c2.3.8 3.5 2.7 3.5 5.5"/>',
    "topic": '<path d="M4 9h16M4 15h16M10 4 8 20M16 4l-2 16"/>',
    "activity": '<path d="M3 12h4l3 8 4-16 3 8h4"/>',
    "inbox": '<path d="M4 13 6.5 5h11L20 13v6H4zM4 13h5l1 2h4l1-2h5"/>',
    "key": '<circle cx="8" cy="15" r="4"/><path d="m11 12 8-8M16 7l3 3"/>',
    "user": '<circle cx="12" cy="8" r="4"/><path d="M4 21c0-4.5 3-7 8-7s8 2.5 8 7"/>',
    "log": '<path d="M6 3h9l4 4v14H6zM9 9h5M9 13h7M9 17h7"/>',
    "settings": '<path d="M4 7h10M18 7h2M4 17h2M10 17h10"/><circle cx="16" cy="7" r="2"/>'
    '<circle cx="8" cy="17" r="2"/>',
    "moon": '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"/>',
    "sun": '<circle cx="12" cy="12" r="4"/><path d="M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2'
    'M17 17l2 2M19 5l-2 2M7 17l-2 2"/>',
    "menu": '<path d="M4 7h16M4 12h16M4 17h16"/>',
    "out": '<path d="M14 4h5v16h-5M10 8l-4 4 4 4M6 12h10"/>',
    "check": '<path d="m5 13 4 4L19 7"/>',
    "cross": '<path d="m6 6 12 12M18 6 6 18"/>',
    "warning": '<path d="M12 4 2.5 20h19zM12 10v4M12 17v.5"/>',
    "info": '<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 8v.5"/>',
    "plus": '<path d="M12 5v14M5 12h14"/>',
    "search": '<circle cx="11" cy="11" r="6"/><path d="m20 20-4.5-4.5"/>',
    "next": '<path d="m9 5 7 7-7 7"/>',
    "back": '<path d="m15 5-7 7 7 7"/>',
    "bin": '<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5"/>',
    "copy": '<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V4H4v12h4"/>',
    "edit": '<path d="m4 20 1-4L16 5l3 3L8 19zM14 7l3 3"/>',
    "mail": '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3 7 9 6 9-6"/>',
    "phone": '<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 18h2"/>',
    "chat": '<path d="M4 5h16v11H10l-5 4v-4H4z"/>',
    "bell": '<path d="M6 17V11a6 6 0 0 1 12 0v6l2 1H4zM10 21h4"/>',
    "clock": '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>',
    "play": '<path d="M7 5v14l12-7z"/>',
    "switch": '<path d="m8 9 4-4 4 4M8 15l4 4 4-4"/>',
    "globe": '<circle cx="12" cy="12" r="9"/>'
    '<path d="M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18"/>',
    "book": '<path d="M5 4h13v16H7a2 2 0 0 1-2-2zM5 18a2 2 0 0 1 2-2h11"/>',
}
