"""The subscriber's door: sessions, messages, preferences and topics of one subscriber."""
